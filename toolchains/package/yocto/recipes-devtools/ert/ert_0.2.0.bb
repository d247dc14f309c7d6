SUMMARY = "Runtime for int8 models that edgeconv made of ONNX encoders"
DESCRIPTION = "Runs blobs of edgeconv without heap; the RAM is known in advance, the bits are the same on every CPU."
HOMEPAGE = "https://edgeconv.invalid/"
SECTION = "libs"
LICENSE = "Apache-2.0"
LIC_FILES_CHKSUM = "file://LICENSE;md5=3b83ef96387f14655fc854ddc3c6bd57"

# The source package, from files/ beside this recipe: it has what is generated, so that the target's build needs no flatc.
SRC_URI = "file://edgeconv-${PV}.tar.gz"
S = "${@d.getVar('UNPACKDIR') or d.getVar('WORKDIR')}/edgeconv-${PV}"

inherit cmake

PACKAGECONFIG ??= "zstd"
PACKAGECONFIG[zstd] = "-DERT_WITH_ZSTD=ON,-DERT_WITH_ZSTD=OFF,zstd"

EXTRA_OECMAKE = "-DERT_DEVELOPER=OFF -DERT_BUILD_CONVERTER=OFF -DERT_BUILD_TOOLS=OFF -DERT_SHARED=ON"

BBCLASSEXTEND = "native nativesdk"
