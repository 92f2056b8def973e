"""What stands in pictures, by name."""

LABELS = {
    "share-of": "Estimate: where <subject> keeps <share> once started",
    "share-of-figures": "Estimate: where <subject> keeps <share> of the peak",
    "both": "bandwidth-bound under both",
    "all": "bandwidth-bound under all",
    "one": "under one",
    "some": "under some",
    "predicted": "predicted crossover",
    "crossed": "measured crossover",
    "floor": "floor: datasheet roof",
    "roof": "roof, as measured",
}
