"""What others wrote and packages of this project hold or need: the one table behind SBOM and THIRD_PARTY_NOTICES.txt."""
import json
import re

# name, SPDX licence, where it is from, how it is used, Debian's package of it (whose copyright file a binary that holds it carries):
#   source   its text is in the source package, the one file and every binary
#   data     facts taken from it are in the converter
#   header   compiled into edgeconv
#   library  linked into edgeconv as a shared library of the system
TABLE = (
    ("FlatBuffers", "Apache-2.0", "https://github.com/google/flatbuffers", "source", "libflatbuffers-dev"),
    ("Unicode Character Database", "Unicode-3.0", "https://www.unicode.org/ucd/", "data", ""),
    ("CLI11", "BSD-3-Clause", "https://github.com/CLIUtils/CLI11", "header", "libcli11-dev"),
    ("fmt", "MIT", "https://github.com/fmtlib/fmt", "header", "libfmt-dev"),
    ("nlohmann-json", "MIT", "https://github.com/nlohmann/json", "header", "nlohmann-json3-dev"),
    ("Protocol Buffers", "BSD-3-Clause", "https://github.com/protocolbuffers/protobuf", "header", "libprotobuf-dev"),
    ("libsodium", "ISC", "https://github.com/jedisct1/libsodium", "library", "libsodium-dev"),
    ("OpenBLAS", "BSD-3-Clause", "https://github.com/OpenMathLib/OpenBLAS", "library", "libopenblas-dev"),
    ("zlib", "Zlib", "https://zlib.net", "library", "zlib1g-dev"),
    ("Zstandard", "BSD-3-Clause", "https://github.com/facebook/zstd", "library", "libzstd-dev"),
)
RELATION = {"source": "CONTAINS", "data": "CONTAINS", "header": "BUILD_DEPENDENCY_OF", "library": "RUNTIME_DEPENDENCY_OF"}


def flatbuffers_version(base_header):
    """The version that flatbuffers/base.h states."""
    parts = [re.search(rf"#define FLATBUFFERS_VERSION_{part} (\d+)", base_header) for part in ("MAJOR", "MINOR", "REVISION")]
    return ".".join(part.group(1) for part in parts)


def sbom(version, commit, created, flatbuffers):
    """SPDX 2.3 as JSON. Versions of what is not in the package are those of the machine that builds it, so none is stated."""
    def package(identifier, name, licence, location, of_package):
        return {"SPDXID": identifier, "name": name, "versionInfo": of_package or "NOASSERTION", "downloadLocation": location, "filesAnalyzed": False,
                "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION"}

    packages = [package("SPDXRef-edgeconv", "edgeconv", "Apache-2.0", "NOASSERTION", version)]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-edgeconv")]
    for name, licence, location, use, _ in TABLE:
        identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)
        packages.append(package(identifier, name, licence, location, flatbuffers if name == "FlatBuffers" else None))
        relation = RELATION[use]
        ends = ("SPDXRef-edgeconv", identifier) if relation == "CONTAINS" else (identifier, "SPDXRef-edgeconv")
        relations.append((ends[0], relation, ends[1]))
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"edgeconv-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/edgeconv-{version}-{commit}",
        "creationInfo": {"created": created, "creators": [f"Tool: edgeconv-source_package-{version}"]}, "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": relation, "relatedSpdxElement": b} for a, relation, b in relations]}, indent=2) + "\n"
