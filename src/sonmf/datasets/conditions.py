"""Long-standing illnesses: how they are written, what is taken for them, what they add to the log-odds, and who has them."""

from __future__ import annotations

from typing import NamedTuple


class Condition(NamedTuple):
    """An illness in a patient's history."""

    written: str
    drugs: str
    risk: float
    common: tuple[float, float, float]
    """How common it is, relative to the others, in children, adults, and the old."""


CONDITIONS = {
    "afib": Condition(
        "afib; a fib; atrial fib; atrial fibrillation; af",
        "coumadin; eliquis; xarelto; pradaxa; digoxin; amiodarone",
        0.3,
        (0, 1, 9),
    ),
    "allergies": Condition(
        "seasonal allergies; allergies; hay fever",
        "claritin; zyrtec; allegra; flonase; singulair",
        -0.3,
        (8, 5, 1),
    ),
    "anxiety": Condition(
        "anxiety; panic d/o; gad",
        "xanax; klonopin; lexapro; buspar; zoloft",
        -0.4,
        (1, 9, 4),
    ),
    "arthritis": Condition(
        "arthritis; oa; rheumatoid arthritis; ra; djd",
        "methotrexate; mobic; celebrex; humira; tramadol",
        0.0,
        (0, 3, 8),
    ),
    "asthma": Condition(
        "asthma; asthma since childhood",
        "albuterol; advair; singulair; qvar; symbicort",
        -0.1,
        (12, 8, 3),
    ),
    "bipolar": Condition(
        "bipolar; bipolar d/o; manic depression",
        "lithium; depakote; seroquel; lamictal; abilify",
        0.0,
        (0, 5, 1),
    ),
    "bph": Condition(
        "bph; enlarged prostate; urinary retention",
        "flomax; proscar; cardura",
        0.1,
        (0, 0, 4),
    ),
    "cad": Condition(
        "cad; mi; heart attack; cabg; stents x{2|3|4}; mi {2003..2013}",
        "plavix; asa; metoprolol; lipitor; imdur; nitro prn",
        0.4,
        (0, 2, 10),
    ),
    "cancer": Condition(
        "{colon|bladder|kidney|thyroid} ca; f: {breast|ovarian} ca; m: prostate ca; cancer; mets; {colon|pancreatic} cancer",
        "chemo; f: tamoxifen; morphine; zofran; megace",
        0.7,
        (0, 2, 7),
    ),
    "chf": Condition(
        "chf; heart failure; cardiomyopathy; congestive heart failure; low ef",
        "lasix; bumex; coreg; lisinopril; aldactone; torsemide",
        0.6,
        (0, 1, 9),
    ),
    "chronic pain": Condition(
        "chronic pain; chronic back pain; lbp",
        "percocet; norco; oxycontin; gabapentin; flexeril",
        -0.1,
        (0, 6, 4),
    ),
    "ckd": Condition(
        "ckd; renal insufficiency; kidney disease; cri",
        "phoslo; bumex; epogen; calcitriol",
        0.5,
        (0, 1, 6),
    ),
    "cirrhosis": Condition(
        "cirrhosis; liver dz; esld; varices",
        "lactulose; aldactone; nadolol; rifaximin",
        0.8,
        (0, 2, 2),
    ),
    "cocaine": Condition(
        "cocaine use; crack use; substance abuse",
        "methadone; suboxone",
        0.1,
        (0, 3, 0),
    ),
    "copd": Condition(
        "copd; emphysema; chronic bronchitis",
        "spiriva; advair; albuterol; home o2; prednisone; duonebs",
        0.5,
        (0, 1, 8),
    ),
    "crohns": Condition(
        "crohns; ulcerative colitis; ibd",
        "humira; remicade; prednisone; asacol",
        0.3,
        (0, 2, 1),
    ),
    "cva": Condition(
        "cva; stroke; tia; old cva with {l|r} sided deficit; cva {2004..2014}",
        "plavix; asa; aggrenox; lipitor",
        0.4,
        (0, 1, 8),
    ),
    "dementia": Condition(
        "dementia; alzheimers; memory problems",
        "aricept; namenda; seroquel; exelon",
        0.5,
        (0, 0, 9),
    ),
    "depression": Condition(
        "depression; mdd",
        "zoloft; prozac; cymbalta; wellbutrin; celexa; remeron",
        -0.1,
        (1, 9, 5),
    ),
    "developmental delay": Condition(
        "intellectual disability; cerebral palsy; developmental delay; down syndrome; autism",
        "baclofen; risperdal; keppra",
        0.3,
        (3, 1, 0),
    ),
    "diverticulitis": Condition(
        "diverticulitis; diverticulosis",
        "cipro; flagyl; metamucil",
        0.1,
        (0, 2, 3),
    ),
    "dm": Condition(
        "dm; diabetes; iddm; niddm; dm2; type 2 dm; type 1 dm",
        "metformin; insulin; lantus; glipizide; januvia; humalog; glyburide",
        0.3,
        (1, 6, 12),
    ),
    "dvt": Condition(
        "dvt; pe; blood clots; factor v",
        "coumadin; lovenox; xarelto; eliquis",
        0.4,
        (0, 2, 3),
    ),
    "eczema": Condition(
        "eczema; food allergies",
        "hydrocortisone; zyrtec; triamcinolone",
        -0.3,
        (6, 1, 0),
    ),
    "esrd": Condition(
        "esrd; esrd on hd; dialysis {mwf|tths}; hd {mwf|tths}; renal failure",
        "renvela; phoslo; sensipar; epogen",
        0.8,
        (0, 2, 4),
    ),
    "etoh": Condition(
        "etoh abuse; alcoholism; etoh; heavy drinker",
        "librium; thiamine; antabuse; ativan",
        0.2,
        (0, 6, 3),
    ),
    "fibromyalgia": Condition(
        "fibromyalgia; chronic fatigue",
        "lyrica; cymbalta; savella; tramadol",
        -0.3,
        (0, 3, 1),
    ),
    "gallstones": Condition(
        "gallstones; cholelithiasis; gallbladder problems",
        "actigall; zofran; pepcid",
        0.2,
        (0, 2, 2),
    ),
    "gerd": Condition(
        "gerd; reflux; acid reflux; hiatal hernia",
        "prilosec; nexium; protonix; pepcid; zantac",
        -0.2,
        (2, 6, 6),
    ),
    "gi bleed": Condition(
        "gi bleed; ulcers; pud; diverticular bleed",
        "protonix; prilosec; iron; carafate",
        0.5,
        (0, 1, 3),
    ),
    "gout": Condition(
        "gout",
        "allopurinol; colchicine; indocin",
        0.0,
        (0, 2, 4),
    ),
    "heart defect": Condition(
        "heart murmur; vsd; asd; tetralogy repair; cardiac surgery",
        "lasix; captopril; digoxin",
        0.8,
        (2, 0, 0),
    ),
    "hepc": Condition(
        "hep c; hepatitis c; hcv",
        "interferon; ribavirin; harvoni",
        0.1,
        (0, 3, 1),
    ),
    "hiv": Condition(
        "hiv; aids; hiv+; cd4 {40..350}",
        "atripla; truvada; bactrim; prezista; isentress",
        0.6,
        (0, 2, 0),
    ),
    "hld": Condition(
        "hld; high cholesterol; hyperlipidemia; hypercholesterolemia",
        "lipitor; zocor; crestor; pravastatin; zetia",
        -0.1,
        (0, 4, 11),
    ),
    "htn": Condition(
        "htn; hypertension; high bp; high blood pressure",
        "lisinopril; norvasc; hctz; metoprolol; clonidine; diovan; amlodipine; losartan",
        0.1,
        (0, 9, 20),
    ),
    "hypothyroid": Condition(
        "hypothyroid; thyroid; hypothyroidism; thyroid problems",
        "synthroid; levothyroxine",
        0.0,
        (0, 4, 6),
    ),
    "ivdu": Condition(
        "ivdu; heroin use; endocarditis; polysubstance abuse; opioid use",
        "methadone; suboxone",
        0.3,
        (0, 4, 0),
    ),
    "lung cancer": Condition(
        "lung ca; lung cancer; lung mass",
        "chemo; morphine; dexamethasone",
        0.8,
        (0, 0, 3),
    ),
    "lupus": Condition(
        "lupus; sle",
        "plaquenil; prednisone; cellcept",
        0.5,
        (0, 2, 0),
    ),
    "lymphoma": Condition(
        "lymphoma; leukemia; multiple myeloma; aml; cll",
        "revlimid; chemo; acyclovir; rituxan",
        0.9,
        (1, 1, 2),
    ),
    "migraine": Condition(
        "migraines; migraine; headaches",
        "imitrex; topamax; fioricet; maxalt",
        -0.5,
        (1, 6, 1),
    ),
    "ms": Condition(
        "ms; multiple sclerosis",
        "copaxone; baclofen; avonex; tecfidera",
        0.3,
        (0, 2, 1),
    ),
    "neuropathy": Condition(
        "neuropathy; diabetic neuropathy",
        "gabapentin; lyrica; neurontin",
        0.0,
        (0, 2, 3),
    ),
    "obesity": Condition(
        "obesity; obese; grown: morbid obesity; grown: gastric bypass",
        "vitamin d; grown: phentermine",
        0.1,
        (1, 4, 2),
    ),
    "osa": Condition(
        "osa; sleep apnea; cpap at night",
        "cpap",
        0.1,
        (0, 3, 4),
    ),
    "osteoporosis": Condition(
        "osteoporosis; compression fx; hip fx; osteopenia",
        "fosamax; boniva; calcium; prolia",
        0.2,
        (0, 0, 6),
    ),
    "parkinson": Condition(
        "parkinsons; parkinson disease; pd",
        "sinemet; requip; mirapex",
        0.4,
        (0, 0, 4),
    ),
    "pregnancy": Condition(
        "g{2..4}p{1..3}; {8..34} wks pregnant; gravid",
        "prenatal vitamins; zofran",
        0.0,
        (0, 4, 0),
    ),
    "premature": Condition(
        "premature; preemie {27..34} wks; nicu stay; born at {28..35} wks",
        "synagis; polyvisol",
        0.6,
        (5, 0, 0),
    ),
    "ptsd": Condition(
        "ptsd; veteran with ptsd",
        "prazosin; zoloft; trazodone",
        -0.1,
        (0, 3, 1),
    ),
    "pvd": Condition(
        "pvd; pad; poor circulation; bypass {l|r} leg; bka",
        "plavix; pletal; asa",
        0.5,
        (0, 1, 4),
    ),
    "reactive airway": Condition(
        "reactive airway; rad; wheezing in past; bronchiolitis",
        "albuterol nebs; pulmicort; xopenex",
        0.0,
        (6, 0, 0),
    ),
    "schizophrenia": Condition(
        "schizophrenia; schizoaffective",
        "risperdal; zyprexa; haldol dec; clozaril; invega",
        0.2,
        (0, 3, 1),
    ),
    "seizure": Condition(
        "seizures; epilepsy; seizure d/o; sz",
        "keppra; dilantin; depakote; lamictal; tegretol; phenobarb",
        0.1,
        (2, 3, 3),
    ),
    "sickle": Condition(
        "sickle cell; sickle cell dz; scd",
        "hydroxyurea; folic acid; dilaudid",
        0.6,
        (1, 1, 0),
    ),
    "smoker": Condition(
        "smoker; {1|2} ppd smoker; tobacco; smoker x{20..40} yrs",
        "nicotine patch; chantix",
        0.0,
        (0, 8, 4),
    ),
    "spinal cord injury": Condition(
        "paraplegia; quadriplegia; spinal cord injury; spina bifida",
        "baclofen; ditropan",
        0.5,
        (1, 1, 1),
    ),
    "stones": Condition(
        "kidney stones; renal stones; stents",
        "flomax; toradol; percocet",
        0.0,
        (0, 3, 2),
    ),
    "transplant": Condition(
        "{kidney|liver|heart|lung} transplant; renal tx; transplant {2003..2014}",
        "prograf; cellcept; prednisone; rapamune",
        1.0,
        (0, 1, 1),
    ),
    "vertigo": Condition(
        "vertigo; menieres; bppv",
        "meclizine; antivert",
        -0.3,
        (0, 2, 3),
    ),
}
