// edgeconv._runtime: what edgeconv/_model.py builds on. Arrays come in and go out without copies; the interpreter's lock is free while the model runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <system_error>

#include "python/refusal.h"
#include "python/sessions.h"

namespace nb = nanobind;

namespace edgeconv_python {

namespace {

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

// 0 for a type that no model takes.
uint32_t dtype_of(nb::dlpack::dtype t) {
  using Code = nb::dlpack::dtype_code;
  if (t.lanes != 1) return 0;
  const auto code = static_cast<Code>(t.code);
  if (code == Code::Float) return t.bits == 32 ? ERT_F32 : 0;
  if (code == Code::Bool) return ERT_BOOL;
  if (code == Code::UInt) return t.bits == 8 ? ERT_U8 : 0;
  if (code != Code::Int) return 0;
  return t.bits == 8 ? ERT_I8 : t.bits == 16 ? ERT_I16 : t.bits == 32 ? ERT_I32 : t.bits == 64 ? ERT_I64 : 0;
}

nb::dlpack::dtype dtype_to(uint32_t dtype) {
  switch (dtype) {
    case ERT_F32: return nb::dtype<float>();
    case ERT_I32: return nb::dtype<int32_t>();
    case ERT_I64: return nb::dtype<int64_t>();
    case ERT_U8: return nb::dtype<uint8_t>();
    case ERT_I8: return nb::dtype<int8_t>();
    case ERT_I16: return nb::dtype<int16_t>();
    default: return nb::dtype<bool>();
  }
}

uint32_t mask_of(const std::optional<std::string>& isa) {
  if (!isa) return 0;
  for (uint32_t i = 0; i < 32; ++i) {
    const char* name = ert_isa_name(static_cast<ert_isa>(i));
    if (name != nullptr && *isa == name) {
      if ((ert_isa_available() & ERT_ISA_BIT(i)) == 0)
        throw Refusal(ERT_ERR_ISA,
                      "isa '" + *isa + "' is not built in, or this CPU has it not; isa=None takes the best that there is");
      return ERT_ISA_BIT(i);
    }
  }
  throw Refusal(ERT_ERR_ARG, "isa '" + *isa + "' is no instruction set; edgeconv.isa_available() lists those of this machine");
}

std::string utf8(const nb::bytes& b) { return {b.c_str(), b.size()}; }

std::optional<std::string> utf8(const std::optional<nb::bytes>& b) { return b ? std::optional(utf8(*b)) : std::nullopt; }

class Model {
 public:
  Model(const std::string& path, uint32_t threads, const std::optional<std::string>& isa)
      : sessions_(std::make_shared<Sessions>(path, Settings{threads, mask_of(isa)})) {
    if (threads == 0 || threads > ERT_THREAD_POOL_MAX_THREADS)
      throw Refusal(ERT_ERR_ARG,
                    "threads is " + std::to_string(threads) + ", it must be 1 to " + std::to_string(ERT_THREAD_POOL_MAX_THREADS));
  }

  const Blob& blob() const { return sessions_->blob(); }
  // Of the calling thread, which keeps its memory and its states.
  Session& session() { return sessions_->mine(); }

  nb::list run(const std::vector<std::optional<Array>>& arrays) {
    std::vector<ert_tensor> inputs(arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
      ert_tensor& t = inputs[i];
      t.struct_size = sizeof t;
      if (!arrays[i]) continue;
      const Array& a = *arrays[i];
      t.dtype = dtype_of(a.dtype());
      if (a.ndim() > ERT_MAX_RANK)
        throw Refusal(ERT_ERR_INPUT,
                      "input '" + std::string(blob().inputs()[i].name) + "' has " + std::to_string(a.ndim()) + " axes");
      t.rank = static_cast<uint32_t>(a.ndim());
      for (uint32_t axis = 0; axis < t.rank; ++axis) {
        if (a.shape(axis) > INT32_MAX)
          throw Refusal(ERT_ERR_DIMS,
                        "input '" + std::string(blob().inputs()[i].name) + "': axis " + std::to_string(axis) + " is too long");
        t.shape[axis] = static_cast<int32_t>(a.shape(axis));
      }
      t.data = const_cast<void*>(a.data());
      t.bytes = a.nbytes();
    }
    std::vector<AlignedMemory> memory(blob().outputs().size());
    std::vector<ert_tensor> outputs(memory.size());
    {
      const nb::gil_scoped_release free_lock;
      session().run(inputs, [&](size_t i, const ert_tensor& shape) {
        outputs[i] = shape;
        memory[i] = allocate_aligned(shape.bytes);
        return memory[i].get();
      });
    }
    nb::list results;
    for (size_t i = 0; i < memory.size(); ++i) {
      size_t shape[ERT_MAX_RANK];
      for (uint32_t axis = 0; axis < outputs[i].rank; ++axis) shape[axis] = static_cast<size_t>(outputs[i].shape[axis]);
      void* data = memory[i].release();
      const nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
      results.append(nb::cast(nb::ndarray<nb::numpy>(data, outputs[i].rank, shape, owner, nullptr, dtype_to(outputs[i].dtype))));
    }
    return results;
  }

  nb::dict answer(const nb::bytes& text, const std::optional<nb::bytes>& pair, const std::vector<std::string>& labels,
                  uint32_t top) {
    const Question q{utf8(text), utf8(pair), labels, top};
    Answer a;
    {
      const nb::gil_scoped_release free_lock;
      a = session().answer(q);
    }
    nb::dict d;
    d["truncated"] = a.truncated;
    if (blob().task().task == ERT_TEXT_EMBED) {
      auto* data = new std::vector<float>(std::move(a.vector));
      const nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
      const size_t shape[] = {data->size()};
      d["vector"] = nb::cast(nb::ndarray<nb::numpy, float>(data->data(), 1, shape, owner));
      return d;
    }
    nb::list scored;
    for (const Scored& s : a.scored) scored.append(nb::make_tuple(s.label, s.score, s.start, s.end));
    d["scored"] = scored;
    return d;
  }

 private:
  std::shared_ptr<Sessions> sessions_;
};

// (name, dtype, shape with the names of dims, is a state)
nb::list values(const Blob& blob, const std::vector<ert_value_info>& all) {
  nb::list out;
  for (const ert_value_info& v : all) {
    nb::list shape;
    for (uint32_t axis = 0; axis < v.rank; ++axis) {
      if (v.shape[axis] >= 0)
        shape.append(v.shape[axis]);
      else if (v.dim[axis] >= 0)
        shape.append(std::string(blob.dims()[static_cast<size_t>(v.dim[axis])].name));
      else
        shape.append(nb::none());
    }
    out.append(nb::make_tuple(std::string(v.name), std::string(dtype_name(v.dtype)), shape, v.state >= 0));
  }
  return out;
}

void raise_as_python(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const Refusal& e) {
    const nb::object type = nb::module_::import_("edgeconv._error").attr("Error");
    PyErr_SetObject(type.ptr(), type(e.what(), static_cast<int>(e.status()), status_name(e.status())).ptr());
  } catch (const std::system_error& e) {
    const nb::tuple arguments = nb::make_tuple(e.code().value(), e.what());
    PyErr_SetObject(PyExc_OSError, arguments.ptr());
  }
}

}  // namespace

NB_MODULE(_runtime, m) {
  nb::set_leak_warnings(false);  // a model that a program keeps to its end is no leak
  nb::register_exception_translator(raise_as_python);
  nb::class_<Model>(m, "Model")
      .def(nb::init<const std::string&, uint32_t, const std::optional<std::string>&>(), nb::arg("path"), nb::arg("threads"),
           nb::arg("isa").none())
      .def("run", &Model::run, nb::arg("inputs"))
      .def("answer", &Model::answer, nb::arg("text"), nb::arg("pair").none(), nb::arg("labels"), nb::arg("top"))
      .def(
          "ids",
          [](const Model& self, const nb::bytes& text, const std::optional<nb::bytes>& pair, bool special) {
            return encode(self.blob(), utf8(text), utf8(pair), special);
          },
          nb::arg("text"), nb::arg("pair").none(), nb::arg("special_tokens"))
      .def("reset_states", [](Model& self) { self.session().reset_states(); })
      .def_prop_ro("isa", [](Model& self) { return std::string(ert_isa_name(self.session().isa())); })
      .def_prop_ro("inputs", [](const Model& self) { return values(self.blob(), self.blob().inputs()); })
      .def_prop_ro("outputs", [](const Model& self) { return values(self.blob(), self.blob().outputs()); })
      .def_prop_ro("dims",
                   [](const Model& self) {
                     nb::dict d;
                     for (const ert_dim_info& dim : self.blob().dims()) d[dim.name] = nb::make_tuple(dim.min, dim.max);
                     return d;
                   })
      .def_prop_ro("has_text", [](const Model& self) { return self.blob().text() != nullptr; })
      .def_prop_ro("task", [](const Model& self) { return self.blob().task().task; })
      .def_prop_ro("labels", [](const Model& self) { return self.blob().labels(); })
      .def_prop_ro("source_sha256", [](const Model& self) { return std::string(self.blob().info().source_sha256); });
  m.def("isa_available", [] {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < 32; ++i)
      if ((ert_isa_available() & ERT_ISA_BIT(i)) != 0 && ert_isa_name(static_cast<ert_isa>(i)) != nullptr)
        names.emplace_back(ert_isa_name(static_cast<ert_isa>(i)));
    return names;
  });
}

}  // namespace edgeconv_python
