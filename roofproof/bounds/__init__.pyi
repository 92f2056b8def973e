from roofproof.bounds.answer import Bound as Bound, bound as bound
from roofproof.bounds.lower import LowerBound as LowerBound, lower_bounds as lower_bounds
from roofproof.bounds.nests import Nest as Nest, nest_of as nest_of
from roofproof.bounds.regions import Regions as Regions, regions_of as regions_of
from roofproof.bounds.tile import Tile as Tile
from roofproof.bounds.tiles import best_tile as best_tile
from roofproof.bounds.weights import Weights as Weights, useful as useful, vertices as vertices
