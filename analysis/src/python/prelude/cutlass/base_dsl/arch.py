# The architectures that the DSL compiles for, in their order.
from enum import Enum


class Arch(Enum):
    sm_80 = (8, 0, "")
    sm_86 = (8, 6, "")
    sm_87 = (8, 7, "")
    sm_89 = (8, 9, "")
    sm_90 = (9, 0, "")
    sm_90a = (9, 0, "a")
    sm_100 = (10, 0, "")
    sm_100a = (10, 0, "a")
    sm_100f = (10, 0, "f")
    sm_101 = (10, 1, "")
    sm_101a = (10, 1, "a")
    sm_101f = (10, 1, "f")
    sm_103 = (10, 3, "")
    sm_103a = (10, 3, "a")
    sm_103f = (10, 3, "f")
    sm_107 = (10, 7, "")
    sm_107a = (10, 7, "a")
    sm_107f = (10, 7, "f")
    sm_110 = (11, 0, "")
    sm_110a = (11, 0, "a")
    sm_110f = (11, 0, "f")
    sm_120 = (12, 0, "")
    sm_120a = (12, 0, "a")
    sm_120f = (12, 0, "f")
    sm_121 = (12, 1, "")
    sm_121a = (12, 1, "a")
    sm_121f = (12, 1, "f")

    @property
    def major(self):
        return self.value[0]

    @property
    def minor(self):
        return self.value[1]

    @property
    def suffix(self):
        return self.value[2]

    def to_string(self):
        return self.name

    def is_family_of(self, other):
        return self.value[0] == other.value[0] and self.value[1] >= other.value[1]

    def __lt__(self, other):
        return (self.value[0], self.value[1]) < (other.value[0], other.value[1])

    def __le__(self, other):
        return (self.value[0], self.value[1]) <= (other.value[0], other.value[1])

    def __gt__(self, other):
        return (self.value[0], self.value[1]) > (other.value[0], other.value[1])

    def __ge__(self, other):
        return (self.value[0], self.value[1]) >= (other.value[0], other.value[1])
