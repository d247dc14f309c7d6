"""Trees for systems that are built from sources: Buildroot and Yocto read the recipes, in trees of their own that an environment variable names."""
import os
import re
import shutil

from firmware import tree, version
from machine import NotHere
from packages import made_source_package


def buildroot(machine, folder):
    """BUILDROOT_DIR names a tree of Buildroot: it knows the package, takes the source package by its hash, refuses another, and its linter is content."""
    sources = made_source_package(machine, folder / "source")
    external = tree(machine, folder, "buildroot", "--source", sources)
    package = external / "package/ert"
    assert f"ERT_VERSION = {version(machine)}" in (package / "ert.mk").read_text()
    for line in (package / "ert.hash").read_text().splitlines()[1:]:
        _, digest, name = line.split()
        path = {"LICENSE": "LICENSE", "THIRD_PARTY_NOTICES.txt": "toolchains/package/THIRD_PARTY_NOTICES.txt"}.get(name)
        said = machine.run("sha256sum", machine.source / path if path else sources).split()[0]
        assert said == digest, f"ert.hash: {name} has another hash"
    base = machine.given("BUILDROOT_DIR", "a tree of Buildroot")
    machine.need("make", "gcc", "rsync", "cpio", "bc", "unzip", "wget", "file")
    out = folder / "out"
    (folder / "defconfig").write_text("BR2_aarch64=y\nBR2_TOOLCHAIN_EXTERNAL=y\nBR2_INSTALL_LIBSTDCPP=y\nBR2_PACKAGE_ERT=y\n"
                                      f'BR2_DL_DIR="{folder}/dl"\nBR2_BACKUP_SITE=""\n')
    make = ["make", "-C", base, f"O={out}", f"BR2_EXTERNAL={external}"]
    machine.run(*make, "defconfig", f"BR2_DEFCONFIG={folder}/defconfig")
    assert "BR2_PACKAGE_ERT=y" in (out / ".config").read_text(), "Kconfig does not offer the package"
    assert "sha256" in machine.run(*make, "ert-source"), "the source package was taken without its hash"
    shutil.rmtree(folder / "dl")
    text = (package / "ert.hash").read_text()
    (package / "ert.hash").write_text(text[:text.rindex("sha256")] + f"sha256  {'0' * 64}  {sources.name}\n")
    shutil.rmtree(out / "build", ignore_errors=True)
    machine.run(*make, "ert-source", fails=True)
    bin_folder = machine.from_pypi(folder, "python-magic", "flake8")
    machine.run(base / "utils/check-package", "-b", *sorted(package.iterdir())[:3], external / "external.mk", external / "Config.in",
                env={"PATH": f"{bin_folder}:{os.environ['PATH']}"})
    return "read, taken by hash, linted; not built"


def yocto(machine, folder):
    """OECORE_DIR and BITBAKE_DIR name openembedded-core and bitbake: they read the layer, and know what the recipe would do."""
    sources = made_source_package(machine, folder / "source")
    layer = tree(machine, folder, "yocto", "--source", sources)
    recipe = layer / f"recipes-devtools/ert/ert_{version(machine)}.bb"
    licence = re.search(r"file://LICENSE;md5=(\w+)", recipe.read_text()).group(1)
    assert licence == machine.run("md5sum", machine.source / "LICENSE").split()[0], "LIC_FILES_CHKSUM is of another LICENSE"
    core, bitbake = machine.given("OECORE_DIR", "openembedded-core"), machine.given("BITBAKE_DIR", "bitbake")
    machine.need("chrpath", "diffstat", "gawk", "lz4c", "zstd", "wget", "cpio", "file")
    if "en_US.utf8" not in machine.run("locale", "-a"):
        raise NotHere("no locale en_US.UTF-8, which bitbake demands")
    conf = folder / "build/conf"
    conf.mkdir(parents=True)
    (conf / "bblayers.conf").write_text(f'BBPATH = "${{TOPDIR}}"\nBBFILES ?= ""\nBBLAYERS = "{core}/meta {layer}"\n')
    (conf / "local.conf").write_text('MACHINE = "qemuarm64"\nDISTRO = "nodistro"\nPACKAGE_CLASSES = "package_ipk"\n'
                                     'INHERIT:remove = "sanity uninative"\nBB_NO_NETWORK = "1"\n')
    env = {"PATH": f"{bitbake}/bin:/usr/bin:/bin:/usr/sbin:/sbin", "BBPATH": str(folder / "build"), "BUILDDIR": str(folder / "build"),
           "LANG": "en_US.UTF-8", "LC_ALL": "en_US.UTF-8"}
    said = machine.run(bitbake / "bin/bitbake", "-e", "-b", recipe, cwd=folder / "build", env=env)
    known = dict(re.findall(r'^(\w+)="(.*)"$', said, re.M))
    assert known["SRC_URI"] == f"file://{sources.name}" and known["S"].endswith(sources.name.removesuffix(".tar.gz")), known["S"]
    assert "-DERT_SHARED=ON" in known["EXTRA_OECMAKE"] and "zstd" in known["DEPENDS"]
    machine.run(bitbake / "bin/bitbake", "-b", recipe, "-c", "unpack", cwd=folder / "build", env=env)
    assert os.path.exists(known["S"] + "/rt/schema/generated"), "S is not where the source package is unpacked"
    return "recipe_qa, fetch and unpack by bitbake; not built"


DISTRIBUTIONS = (buildroot, yocto)
