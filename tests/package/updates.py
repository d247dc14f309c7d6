"""Updates of the model on a device (toolchains/package/update): what is signed is taken, what is not is refused, and golden vectors decide."""
import shutil
import struct

TRY = """#include <stdio.h>
#include <stdlib.h>
#include "blob_slot.h"
int main(int argc, char** argv) {
  static ert_model model;
  static ert_context context;
  const size_t room = 4 << 20, arena_bytes = 16 << 20;
  uint8_t* slot = aligned_alloc(64, room);
  uint64_t* work = malloc(1 << 16);
  ert_region arena = {aligned_alloc(64, arena_bytes), arena_bytes};
  FILE* file = fopen(argv[1], "rb");
  size_t bytes = fread(slot, 1, room, file);
  (void)argc;
  fclose(file);
  puts(ert_status_str(blob_try(slot, bytes, NULL, &arena, work, 1 << 16, &model, &context)));
  return 0;
}
"""


def folder_of(machine, kind):
    return machine.source / "toolchains/package/update" / kind


def certificate(machine, folder, name):
    machine.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem", "-subj",
                f"/O=example/CN={name}", "-days", "30", "-addext", "extendedKeyUsage=1.3.6.1.5.5.7.3.4", "-addext", "keyUsage=digitalSignature")
    return folder / f"{name}.pem", folder / f"{name}.key"


def stand_in_selftest(machine, folder):
    """A program that replays the golden vectors as ert-selftest does, on the installed library: exit 0 or 7."""
    (folder / "selftest.c").write_text(TRY.replace('#include "blob_slot.h"', '#include "ert.h"').replace(
        "puts(ert_status_str(blob_try(slot, bytes, NULL, &arena, work, 1 << 16, &model, &context)));\n  return 0;",
        "if (ert_model_open_in(&model, slot, bytes, work, 1 << 16) != ERT_OK) return 8;\n"
        "  if (ert_context_init(&context, &model, NULL, NULL, &arena, 1) != ERT_OK) return 5;\n  return ert_selftest(&context) == ERT_OK ? 0 : 7;"))
    machine.run("cc", folder / "selftest.c", f"-I{machine.prefix}/include", machine.prefix / "lib/libert.a", "-lm", "-pthread", "-o", folder / "selftest")
    return folder / "selftest"


def damaged(machine, folder):
    data = bytearray(machine.blob.read_bytes())
    data[-100] ^= 4
    (folder / "damaged.ert").write_bytes(data)
    return folder / "damaged.ert"


def update_mcuboot(machine, folder):
    """imgtool signs the blob as the second image and verifies it; another key does not; the application's code finds and tries the blob in the slot."""
    machine.need("od", "cc")
    here, bin_folder = folder_of(machine, "mcuboot"), machine.from_pypi(folder, "imgtool")
    env = {"PATH": f"{bin_folder}:/usr/bin:/bin"}
    for name in ("key", "other"):
        machine.run("imgtool", "keygen", "-k", folder / f"{name}.pem", "-t", "ecdsa-p256", env=env)
    counted = folder / "counted.ert"
    machine.run(machine.edgeconv, machine.source / "tests/models/langid/langid.onnx", "--security-counter", "7", "-o", counted, "--quiet")
    image = folder / "image.bin"
    said = machine.run(here / "sign_blob", counted, folder / "key.pem", "1.2.3", "0x100000", image, "1.0.0", env=env)
    assert "correctly validated" in said, said
    assert "No signature found" in machine.run("imgtool", "verify", "--key", folder / "other.pem", image, env=env, fails=True)
    data = image.read_bytes()
    magic, _, header, protected, size, flags = struct.unpack_from("<IIHHII", data)
    assert (magic, header, size, flags) == (0x96F3B83D, 512, counted.stat().st_size, 0), "MCUboot would not take it"
    tlvs = data[header + size:header + size + protected]
    assert struct.pack("<HHI", 0x50, 4, 7) in tlvs, "the security counter of the blob is not that of the image"
    assert struct.pack("<HHBBBB", 0x40, 12, 0, 0, 0, 0) + struct.pack("<BBHI", 1, 0, 0, 0) in tlvs, "no dependency on the application"
    (folder / "try.c").write_text(TRY)
    machine.run("cc", "-Wall", "-Wextra", "-Werror", folder / "try.c", here / "blob_slot.c", f"-I{here}", f"-I{machine.prefix}/include",
                machine.prefix / "lib/libert.a", "-lm", "-pthread", "-o", folder / "try")
    for name, change, expected in (("whole", lambda d: d, "OK"), ("bit", lambda d: d[:5000] + bytes([d[5000] ^ 1]) + d[5001:], "CHECKSUM"),
                                   ("erased", lambda d: b"\xff" * len(d), "MAGIC"), ("cut", lambda d: d[:4096], "TRUNCATED"),
                                   ("long", lambda d: d[:12] + b"\xff\xff\xff\xff" + d[16:], "TRUNCATED"),
                                   ("crooked", lambda d: d[:8] + b"\x30\x02" + d[10:], "ALIGN")):
        (folder / name).write_bytes(change(data))
        said = machine.run(folder / "try", folder / name)
        assert expected in said.split(":")[0], f"{name}: {said}"
    return "signed, verified, tried in the slot; MCUboot itself was not run"


def update_rauc(machine, folder):
    """A signed bundle; another certificate is refused; the hook ends an installation whose golden vectors fail."""
    machine.need("rauc", "mksquashfs", "openssl")
    here = folder_of(machine, "rauc")
    (ours, key), (others, _) = certificate(machine, folder, "ours"), certificate(machine, folder, "others")
    bundle = folder / "model.raucb"
    machine.run(here / "make_bundle", machine.blob, "2.0", ours, key, bundle)
    said = machine.run("rauc", f"--keyring={ours}", "info", bundle)
    assert "example-device" in said and "[model]" in said and "post-install" in said, said
    machine.run("rauc", f"--keyring={others}", "info", bundle, fails=True)
    env = {"RAUC_SLOT_CLASS": "model", "RAUC_SLOT_NAME": "model.1", "RAUC_SLOT_MOUNT_POINT": str(folder / "slot"),
           "ERT_SELFTEST": str(stand_in_selftest(machine, folder))}
    (folder / "slot").mkdir()
    shutil.copy(machine.blob, folder / "slot/model.ert")
    machine.run(here / "hook.sh", "slot-post-install", env=env)
    shutil.copy(damaged(machine, folder), folder / "slot/model.ert")
    machine.run(here / "hook.sh", "slot-post-install", env=env, fails=True)
    machine.run(here / "hook.sh", "slot-post-install", env={**env, "RAUC_SLOT_CLASS": "rootfs"})
    return "bundle signed and verified, hook run; nothing was installed"


def update_swupdate(machine, folder):
    """A signed .swu that swupdate checks; another certificate and an exchanged model are refused; the script ends an update that fails."""
    machine.need("swupdate", "cpio", "openssl")
    here = folder_of(machine, "swupdate")
    (ours, key), (others, _) = certificate(machine, folder, "ours"), certificate(machine, folder, "others")
    update = folder / "model.swu"
    machine.run(here / "make_update", machine.blob, "2.0", ours, key, update)
    check = ["swupdate", "-c", "-H", "board:1.0", "-e"]
    for copy in ("stable,copy-1", "stable,copy-2"):
        machine.run(*check, copy, "-k", ours, "-i", update, cwd=folder)
    machine.run(*check, "stable,copy-1", "-k", others, "-i", update, cwd=folder, fails=True)
    place = folder / "content"
    place.mkdir()
    machine.run("sh", "-c", f"cpio -i --quiet < {update}", cwd=place)
    (place / "sw-description").write_text((place / "sw-description").read_text().replace('"2.0"', '"9.0"'))
    machine.run("sh", "-c", f"printf '%s\\n' sw-description sw-description.sig model.ert selftest.sh | cpio --quiet -o -H crc > {folder}/changed.swu", cwd=place)
    machine.run(*check, "stable,copy-1", "-k", ours, "-i", folder / "changed.swu", cwd=folder, fails=True)
    env = {"ERT_SELFTEST": str(stand_in_selftest(machine, folder)), "ERT_UNMOUNT": "true"}
    for blob, fails in ((machine.blob, False), (damaged(machine, folder), True)):
        device = folder / f"device-{fails}"
        device.mkdir()
        shutil.copy(blob, device / "model.ert")
        machine.run(here / "selftest.sh", "postinst", device, env={**env, "ERT_MOUNT": str(mount_of(folder))}, fails=fails)
    return "signed and checked by swupdate, script run; nothing was installed"


def mount_of(folder):
    """A mount that copies: `DEVICE PLACE` as folders."""
    path = folder / "mount"
    path.write_text('#!/bin/sh\ncp "$1/model.ert" "$2/model.ert"\n')
    path.chmod(0o755)
    return path


UPDATES = (update_mcuboot, update_rauc, update_swupdate)
