include $(sort $(wildcard $(BR2_EXTERNAL_EDGECONV_PATH)/package/*/*.mk))
