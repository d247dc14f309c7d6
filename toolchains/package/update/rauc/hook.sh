#!/bin/sh
# RAUC calls it while the new model's slot is still mounted, before that set of slots becomes the one that is booted. Anything but 0 ends the
# installation: the device goes on booting what it has.
set -eu
[ "$1" = slot-post-install ] && [ "$RAUC_SLOT_CLASS" = model ] || exit 0
echo "golden vectors of $RAUC_SLOT_MOUNT_POINT/model.ert on $RAUC_SLOT_NAME" >&2
exec "${ERT_SELFTEST:-ert-selftest}" "$RAUC_SLOT_MOUNT_POINT/model.ert" >&2
