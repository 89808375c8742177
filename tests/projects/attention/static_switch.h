// Turns a run-time condition into a constant of the code that it selects.
#pragma once

#define BOOL_SWITCH(CONDITION, NAME, ...)  \
  [&] {                                    \
    if (CONDITION) {                       \
      constexpr static bool NAME = true;   \
      return __VA_ARGS__();                \
    } else {                               \
      constexpr static bool NAME = false;  \
      return __VA_ARGS__();                \
    }                                      \
  }()
