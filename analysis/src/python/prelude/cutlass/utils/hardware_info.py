# What a program asks of the machine that it runs on: only that machine knows.
import _cute


class HardwareInfo:
    def __init__(self, device_id=0):
        self.device_id = device_id

    def get_max_active_clusters(self, cluster_size, stream=None):
        return _cute.symbol("max_active_clusters")

    def get_l2_cache_size_in_bytes(self):
        return _cute.symbol("l2_bytes")

    def get_device_multiprocessor_count(self):
        return _cute.symbol("sm_count")
