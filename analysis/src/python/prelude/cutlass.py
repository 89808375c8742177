# What programs ask of the DSL itself: the architecture that it compiles for.
import _cute
from cutlass.base_dsl.arch import Arch


class BaseDSL:
    @classmethod
    def _get_dsl(cls):
        return _DSL

    def get_arch_enum(self):
        return getattr(Arch, _cute.architecture())

    @property
    def envar(self):
        return self

    @property
    def arch(self):
        return _cute.architecture()


_DSL = BaseDSL()
CuTeDSL = BaseDSL
