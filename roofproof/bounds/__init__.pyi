from roofproof.bounds.nests import Nest as Nest, nest_of as nest_of
from roofproof.bounds.vertices import Weights as Weights, useful as useful, vertices as vertices
