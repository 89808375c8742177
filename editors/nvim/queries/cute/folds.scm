[
  (tuple)
  (tiler)
  (arguments)
  (template_arguments)
] @fold
