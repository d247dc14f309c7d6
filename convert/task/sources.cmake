target_sources(edgeconv_core PRIVATE
  task/model_folder.cc
  task/task.cc
  task/task_output.cc
)
