################################################################################
#
# ert
#
################################################################################

ERT_VERSION = 0.2.0
ERT_SOURCE = edgeconv-$(ERT_VERSION).tar.gz
# The source package lies beside this file: it has what is generated, so
# that the target's build needs no flatc.
ERT_SITE = $(ERT_PKGDIR)
ERT_SITE_METHOD = file
ERT_LICENSE = Apache-2.0
ERT_LICENSE_FILES = LICENSE THIRD_PARTY_NOTICES.txt
ERT_INSTALL_STAGING = YES
ERT_CONF_OPTS = \
	-DERT_DEVELOPER=OFF \
	-DERT_BUILD_CONVERTER=OFF \
	-DERT_BUILD_TOOLS=OFF

ifeq ($(BR2_STATIC_LIBS),y)
ERT_CONF_OPTS += -DERT_SHARED=OFF
else
ERT_CONF_OPTS += -DERT_SHARED=ON
endif

ifeq ($(BR2_PACKAGE_ZSTD),y)
ERT_DEPENDENCIES += zstd
ERT_CONF_OPTS += -DERT_WITH_ZSTD=ON
else
ERT_CONF_OPTS += -DERT_WITH_ZSTD=OFF
endif

$(eval $(cmake-package))
