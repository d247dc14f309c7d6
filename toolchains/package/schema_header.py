"""The generated header of rt/schema/program.fbs and what it needs of FlatBuffers, found in a source package or made with flatc."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def generated(root, folder):
    """Puts rt/schema/program_generated.h and flatbuffers/ into folder."""
    package = root / "rt/schema/generated"
    if (package / "rt/schema/program_generated.h").exists():
        shutil.copytree(package, folder, dirs_exist_ok=True)
        return
    if shutil.which("flatc") is None:
        sys.exit("flatc is missing (Debian: apt install flatbuffers-compiler libflatbuffers-dev)")
    headers = next((p for p in map(pathlib.Path, ("/usr/include/flatbuffers", "/usr/local/include/flatbuffers")) if (p / "flatbuffers.h").exists()), None)
    if headers is None:
        sys.exit("flatbuffers/flatbuffers.h is missing (Debian: apt install libflatbuffers-dev)")
    schema = folder / "rt/schema"
    schema.mkdir(parents=True, exist_ok=True)
    subprocess.run(["flatc", "--cpp", "--scoped-enums", "-o", schema, root / "rt/schema/program.fbs"], check=True, stdout=subprocess.DEVNULL)
    wanted, have = ["flatbuffers.h"], set()
    (folder / "flatbuffers").mkdir(exist_ok=True)
    while wanted:
        name = wanted.pop()
        if name in have:
            continue
        have.add(name)
        shutil.copy(headers / name, folder / "flatbuffers" / name)
        wanted += re.findall(r'#include "flatbuffers/(\w+\.h)"', (headers / name).read_text())


def flatbuffers_text(root):
    """All of it as one text, each header once."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generated(root, folder)
        have = set()

        def expand(path):
            if path in have:
                return ""
            have.add(path)
            return re.sub(r'^#include "(flatbuffers/\w+\.h)"[^\n]*$', lambda m: expand(m.group(1)), (folder / path).read_text(), flags=re.M)

        before = '#ifndef FLATBUFFERS_ASSERT\n#define FLATBUFFERS_ASSERT(x) ((void)0)\n#include <assert.h>\n#endif\n'
        return f"// ======== FlatBuffers begins\n{before}{expand('rt/schema/program_generated.h')}// ======== FlatBuffers ends\n"
