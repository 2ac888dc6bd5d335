graph [
  directed 1
  node [
    id 0
    label "b"
    hosts 2
  ]
  node [
    id 1
    label "a"
    graphics [ x 1.5 y -2 ]
  ]
  # a cable each way
  edge [
    source 0
    target 1
  ]
  edge [
    source 1
    target 0
    value 3
  ]
]
