// What `edgeconv validate` prints, and its JSON (json_schemas/validate.schema.json).
#pragma once

#include <cstdint>
#include <vector>

#include "convert/files/json.h"
#include "convert/measure/compare.h"
#include "convert/report/certificate_check.h"
#include "convert/report/layer_table.h"
#include "convert/report/task_score.h"

namespace edgeconv::cli {

const char* metric_name(TaskMetric m);

Json certificate_json(const CertificateCheck& c);
Json task_json(const TaskResult& t);
Json outputs_json(const std::vector<OutputError>& errors);
Json layers_json(const std::vector<LayerError>& layers);
void print_error(const OutputError& e);
void print_layers(const std::vector<LayerError>& layers);
void print_certificate(const CertificateCheck& c, uint32_t golden);

}  // namespace edgeconv::cli
