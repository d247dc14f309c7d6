#!/usr/bin/env python3
"""source_package.py [-o DIR] [--uncommitted]: the source package edgeconv-VERSION.tar.gz and its SBOM, edgeconv-VERSION.spdx.json.

The package holds the files of the commit, the header that flatc makes of the blob's schema and what it needs of FlatBuffers (rt/schema/generated):
who builds the runtime from it needs CMake and a compiler only. Made again from the same commit on the same machine, it has the same bytes; its times are those of
the commit, or SOURCE_DATE_EPOCH.

--uncommitted  tracked files as they stand in the folder; without it changes that are not committed end with exit 1
"""
import argparse
import datetime
import gzip
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "toolchains/package"))
from schema_header import generated  # noqa: E402
from third_party import flatbuffers_version, sbom  # noqa: E402


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"source_package.py: {ROOT} is no checkout of git, whose files the package is made of: {done.stderr.strip()}")
    return done.stdout


def tracked_files():
    """{path: (mode, bytes)}; a link's bytes are where it leads."""
    files = {}
    for row in git("ls-files", "--stage", "-z").split("\0"):
        if not row:
            continue
        mode, path = row.split()[0], row.partition("\t")[2]
        place = ROOT / path
        if mode == "120000":
            files[path] = (mode, os.readlink(place).encode())
        elif place.exists():
            files[path] = (mode, place.read_bytes())
    return files


def generated_files():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generated(ROOT, folder)
        return {"rt/schema/generated/" + str(path.relative_to(folder)): ("100644", path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def archive(top, files, seconds):
    """A tar in the order of the names, of nobody, at one time."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream, \
            tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(files):
            mode, content = files[path]
            member = tarfile.TarInfo(f"{top}/{path}")
            member.mtime, member.mode = seconds, 0o755 if mode == "100755" else 0o644
            if mode == "120000":
                member.type, member.linkname = tarfile.SYMTYPE, content.decode()
                tar.addfile(member)
            else:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def main():
    parser = argparse.ArgumentParser(prog="source_package.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="folder", type=pathlib.Path, default=pathlib.Path("."), metavar="DIR")
    parser.add_argument("--uncommitted", action="store_true")
    args = parser.parse_args()
    commit = git("rev-parse", "HEAD").strip()
    changed = git("status", "--porcelain", "--untracked-files=no").splitlines()
    if changed and not args.uncommitted:
        sys.exit(f"source_package.py: {len(changed)} files are changed and not committed, the first is {changed[0][3:]}; commit them, or give --uncommitted")
    try:
        seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))
    except ValueError:
        sys.exit(f"source_package.py: SOURCE_DATE_EPOCH is '{os.environ['SOURCE_DATE_EPOCH']}', not a number of seconds")
    version = re.search(r'kVersion = "([0-9.]+)"', (ROOT / "convert/blob/version.h").read_text()).group(1)
    name = f"edgeconv-{version}"
    files = tracked_files()
    files.update(generated_files())
    licence = files["LICENSE"]
    files["rt/schema/generated/flatbuffers/LICENSE"] = licence  # FlatBuffers has the same, the Apache License 2.0
    files["THIRD_PARTY_NOTICES.txt"] = files["toolchains/package/THIRD_PARTY_NOTICES.txt"]
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    flatbuffers = flatbuffers_version(files["rt/schema/generated/flatbuffers/base.h"][1].decode())
    bill = sbom(version, commit + ("-changed" if changed else ""), created, flatbuffers)
    files[f"{name}.spdx.json"] = ("100644", bill.encode())
    try:
        args.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"-o: {args.folder} cannot be made: {error.strerror}")
    (args.folder / f"{name}.spdx.json").write_text(bill)
    (args.folder / f"{name}.tar.gz").write_bytes(archive(name, files, seconds))
    print(args.folder / f"{name}.tar.gz")


if __name__ == "__main__":
    main()
