// The conversion, step by step. What a step does is told in conversion.h, how in the file that it names.
#include "convert/pipeline/convert.h"

#include "convert/ir/foreign_text.h"
#include "convert/pipeline/conversion.h"
#include "rt/base/float_mode.h"

namespace edgeconv {

std::string Conversion::notes() const {
  std::string s;
  if (validation_)
    for (const std::string& name : validation_->not_finite_outputs())
      s += "\nnote: the fp32 model itself gives NaN or infinity in output '" + printable(name) + "' on " + r_.error_inputs;
  for (const std::string& w : d_.warnings()) s += "\nwarning: " + w;
  return s;
}

ConvertResult convert_model(const std::string& path, const ConvertOptions& options) {
  const ert::FloatMode float_mode;  // folded constants and calibration follow the runtime's rules (subnormals are zero)
  Conversion c(options);
  try {
    c.read(path);
    c.fuse();
    c.calibrate();
    c.run_references();
    do {
      c.choose_precisions();
      c.measure_outputs();
      c.write();
      c.compress();
    } while (c.must_be_smaller());
    c.finish();
  } catch (const GateMissed&) {
    throw;
  } catch (const FatalError& e) {
    throw FatalError(e.code(), e.what() + c.notes());
  }
  return c.result();
}

}  // namespace edgeconv
