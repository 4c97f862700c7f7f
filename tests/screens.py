"""What the browser tests look at: the size of a screen, and names that hardly fit on it."""

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
LONG = ["Chronic obstructive pulmonary disease with acute exacerbation, on home oxygen", "dehydration/electroencephalography"]
