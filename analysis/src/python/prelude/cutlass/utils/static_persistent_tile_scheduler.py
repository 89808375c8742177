# Which tile a persistent kernel computes next: a coordinate that only the running kernel has.
import _cute
import cutlass
import cutlass.cute as cute


class WorkTileInfo:
    def __init__(self, tile_idx, is_valid_tile):
        self.tile_idx = tile_idx
        self.is_valid_tile = is_valid_tile


class PersistentTileSchedulerParams:
    def __init__(self, problem_shape_ntile_mnl, cluster_shape_mnk, swizzle_size=1, raster_along_m=True, fallback_cluster_shape_mnk=None):
        self.problem_shape_ntile_mnl = problem_shape_ntile_mnl
        self.cluster_shape_mn = cluster_shape_mnk[:2]
        self.swizzle_size = swizzle_size
        self.raster_along_m = raster_along_m
        clusters = cute.ceil_div(problem_shape_ntile_mnl, self.cluster_shape_mn)
        if swizzle_size > 1:
            clusters = self._swizzled(clusters)
            self.problem_layout_ncluster_mnl = cute.make_layout(clusters[0], stride=clusters[1])
        else:
            self.problem_layout_ncluster_mnl = cute.make_layout(clusters)

    # Columns (rows) in groups, one group after the other.
    def _swizzled(self, clusters):
        group = self.swizzle_size
        if self.raster_along_m:
            m, n, batches = cute.round_up(clusters, (1, group, 1))
            return (m, (group, n // group), batches), (group, (1, group * m), m * n)
        m, n, batches = cute.round_up(clusters, (group, 1, 1))
        return ((group, m // group), n, batches), ((1, group * n), group, m * n)

    def get_grid_shape(self, max_active_clusters):
        return (*self.cluster_shape_mn, _cute.symbol("persistent_clusters"))


class StaticPersistentTileScheduler:
    def __init__(self, params):
        self.params = params

    @staticmethod
    def create(params, block_idx, grid_dim):
        return StaticPersistentTileScheduler(params)

    @staticmethod
    def get_grid_shape(params, max_active_clusters):
        return params.get_grid_shape(max_active_clusters)

    def get_current_work(self):
        tile = (_cute.symbol("tile_m"), _cute.symbol("tile_n"), _cute.symbol("tile_l"))
        return WorkTileInfo(tile, cutlass.Boolean(True))

    def initial_work_tile_info(self):
        return self.get_current_work()

    def advance_to_next_work(self, *, advance_count=1):
        pass

    @property
    def num_tiles_executed(self):
        return _cute.symbol("tiles_executed")


class StaticPersistentRuntimeTileScheduler(StaticPersistentTileScheduler):
    pass
