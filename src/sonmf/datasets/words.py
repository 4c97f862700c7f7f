"""Words that stand for each other, ways to write a word, and ways to get it wrong."""

from __future__ import annotations

# what a name in braces stands for
LISTS = {
    "analgesic": "tylenol|motrin|ibuprofen|advil|aleve|naproxen|apap|percocet|vicodin|tramadol",
    "antibiotic": (
        "amoxicillin|augmentin|azithromycin|zpak|z pack|levaquin|doxycycline|cipro|keflex|bactrim|rocephin|cefdinir|"
        "omnicef|avelox|clindamycin"
    ),
    "antidepressant": "zoloft|lexapro|celexa|prozac|paxil|wellbutrin|cymbalta|effexor|remeron|trazodone|buspar|pristiq",
    "antiepileptic": "keppra|dilantin|depakote|lamictal|tegretol|topamax|vimpat|trileptal|phenobarb|zonegran",
    "antipsychotic": "risperdal|zyprexa|abilify|haldol|seroquel|geodon|invega|clozaril|latuda|thorazine|prolixin",
    "benzo": "xanax|klonopin|ativan|valium|restoril",
    "blade": (
        "chainsaw|kitchen knife|grinder|machete|box cutter|axe|hatchet|mower blade|scissors|broken bottle|"
        "sheet metal|tin can|circular saw|glass door|tile|meat slicer|pocket knife|utility knife"
    ),
    "country": (
        "mexico|guatemala|honduras|india|nigeria|ghana|kenya|haiti|philippines|vietnam|el salvador|ethiopia|pakistan|"
        "brazil|congo|cambodia|peru|bangladesh|somalia|china"
    ),
    "diuretic": "lasix|furosemide|bumex|torsemide|water pill|demadex|hctz|aldactone",
    "drug": "heroin|fentanyl|meth|cocaine|crack|k2|spice|mdma|molly|pcp|ghb|lsd|mushrooms|bath salts|ketamine|kratom",
    "heavy": (
        "box|can|brick|pallet|dumbbell|frozen turkey|table|tv|dresser|paver|battery|toolbox|bowling ball|log|"
        "marble slab|propane tank|cinder block|drill|keg|skillet|bed frame|tool chest|manhole cover|barbell|couch|"
        "wrench"
    ),
    "inhaler": "albuterol|inhaler|ventolin|proair|rescue inhaler|neb|nebulizer|mdi|puffer|combivent|xopenex|duoneb",
    "left": "left|l|lt|left|L",
    "liquor": "vodka|whiskey|gin|rum|tequila|brandy|malt liquor|wine|fireball|moonshine|bourbon|mouthwash",
    "opioid": (
        "percocet|norco|vicodin|oxycodone|oxycontin|dilaudid|morphine|fentanyl patch|tramadol|methadone|hydrocodone|ms contin"
    ),
    "perch": (
        "monkey bars|bunk bed|couch|scooter|slide|swing|bike|tree|high chair|trampoline|countertop|shopping cart|"
        "stroller|porch|top bunk|pony|hammock"
    ),
    "place": (
        "park|bus stop|doorway|library|alley|train|parking lot|stairwell|laundromat|underpass|gas station|casino|"
        "shelter|bar|motel|bathroom stall|subway|ditch|garage|hallway"
    ),
    "right": "right|r|rt|right|R",
    "sharp": (
        "nail|glass|needle|rusty nail|toothpick|fish hook|sewing needle|thumb tack|broken plate|lego|thorn|cactus|"
        "oyster shell|screw|staple|wire|splinter|rake|carpet tack|sea urchin|pitchfork"
    ),
    "sob": "sob|shortness of breath|short of breath|dyspnea|sob|sob",
    "sport": (
        "basketball|soccer|volleyball|football|tennis|softball|baseball|lacrosse|hockey|rugby|gymnastics|kickball|"
        "wrestling|cheerleading|track|dodgeball|racquetball|karate|frisbee|pickleball"
    ),
    "thinner": "coumadin|warfarin|eliquis|xarelto|plavix|pradaxa|lovenox|blood thinners",
    "trigger": (
        "cat|dog|dust|pollen|smoke|cold air|perfume|wildfire smoke|mold|cleaning products|bleach|grass|hay|"
        "paint fumes|ragweed|humidity|feathers|incense|campfire|candles|chlorine"
    ),
    "tripped": (
        "rug|dog|curb|cat|hose|threshold|shoelaces|toys|step stool|bath mat|cane|stairs|sidewalk crack|door mat|"
        "tree root|laundry basket|extension cord|branch|suitcase"
    ),
}

# what a name in braces stands for throughout a note: women, men
SAME = {
    "carer": ("mom|mother|dad|father|parents|grandma|mom|mother|aunt|mom",) * 2,
    "facility": ("snf|nursing home|ecf|rehab|assisted living|alf|nh|care center|snf|nursing home",) * 2,
    "family": ("daughter|son|husband|sister|niece|roommate|neighbor|friend|caregiver|family|partner|spouse|dtr",
               "daughter|son|wife|brother|nephew|roommate|neighbor|friend|caregiver|family|girlfriend|spouse|dtr"),
    "side": ("left|right|l|r|lt|rt|left|right|L|R",) * 2,
}  # fmt: skip

# how a nurse writes a word: one of these, each as likely as the others
SHORTHAND = {
    "abdomen": "abdomen abd belly",
    "abd": "abd abdominal",
    "and": "and & + and",
    "antibiotics": "antibiotics abx",
    "appetite": "appetite appetite po",
    "at": "at @ at at",
    "bilateral": "bilateral bilat b/l",
    "decreased": "decreased dec decr",
    "denies": "denies denies denied",
    "extremities": "extremities ext",
    "fracture": "fracture fx",
    "fx": "fx fracture",
    "given": "given given administered",
    "hrs": "hrs hours h hr",
    "increased": "increased inc incr",
    "increasing": "increasing inc worsening",
    "loc": "loc loc blackout",
    "lower": "lower lwr",
    "medication": "medication med",
    "meds": "meds medications",
    "min": "min mins minutes",
    "morning": "morning am",
    "night": "night noc night",
    "nausea": "nausea nauseous nausea",
    "n/v": "n/v nausea/vomiting n&v nv",
    "pain": "pain pain pain px",
    "productive": "productive prod",
    "pt": "pt pt patient",
    "respirations": "respirations resps resp",
    "seizure": "seizure sz seizure szr",
    "seizures": "seizures sz",
    "swelling": "swelling swelling edema",
    "symptoms": "symptoms sx sxs",
    "temp": "temp temperature t",
    "tylenol": "tylenol tylenol apap acetaminophen",
    "vomiting": "vomiting vomiting emesis",
    "walking": "walking ambulating walking amb",
    "weakness": "weakness weakness wkness",
    "weeks": "weeks wks wk",
    "weight": "weight wt",
    "with": "with w/ w/ w",
    "without": "without w/o w/o",
    "wks": "wks weeks",
    "yesterday": "yesterday yest yesterday yday",
    "yrs": "yrs years yr",
}

# how it comes out when it comes out wrong
MISSPELLED = {
    "abdomen": "abdomin abdoman abdomem",
    "abdominal": "abdominel abdomial abodominal",
    "abscess": "absess abcess abscees absces",
    "albuterol": "albuteral albuerol abuterol",
    "alcohol": "alchohol alcohal acohol",
    "ambulatory": "ambulitory ambultory ambulatroy",
    "amoxicillin": "amoxicilin amoxacillin amoxcillin amox",
    "anxiety": "anxeity anxiey anxity",
    "anxious": "anxous axious anxiuos",
    "aphasia": "aphsia aphaisa aphagia",
    "appetite": "apetite appetitie appitite appetit",
    "asthma": "astma asthama ashtma athsma",
    "basketball": "baskeball bball basketbal",
    "bleeding": "bleding bleedng bleedin",
    "breath": "breathe breth brath breah",
    "breathing": "breating breathng brething breahting",
    "bronchitis": "bronchits bronchitus broncitis",
    "cancer": "cancar canser cacner",
    "cellulitis": "celulitis cellulits cellulitus",
    "cirrhosis": "cirrosis cirhosis chirrosis",
    "chest": "chset cheast chesst",
    "chills": "chils chill chlls",
    "confused": "confussed confsed confued",
    "confusion": "confussion confusoin",
    "congestion": "congstion conjestion congesion",
    "cough": "couch caugh cogh couhg",
    "coughing": "couging coughng caughing",
    "coumadin": "cumadin coumadine coumidin",
    "daughter": "dtr daugther duaghter daughtor",
    "deformity": "defomity deformaty deformty",
    "dementia": "dementai demetia dimentia",
    "diabetes": "diabetis diabets diebetes",
    "dialysis": "dialisis dyalisis dialysys dialysi",
    "diaphoretic": "diaphretic diaphoertic diaphroetic",
    "diarrhea": "diarhea diarrea diarreah diarrhoea diahrrea diarrhia",
    "difficulty": "dificulty diffculty difficulity diff",
    "dizziness": "dizzyness dizzines diziness",
    "dizzy": "dizy dizzie",
    "drainage": "drainge drainege",
    "dysuria": "disuria dysurea dysura",
    "edema": "adema edemma edeam",
    "emesis": "emisis emeses",
    "exacerbation": "exaserbation exacerbaton exacerbtion",
    "exertion": "exersion exertoin excertion",
    "extremities": "extremeties extremites extremties",
    "extremity": "extremety extremty",
    "facial": "facail fascial",
    "fatigue": "fatique fatigu fatige",
    "fever": "feaver fevor fevr",
    "fracture": "fracure fractue frature",
    "general": "genral generl",
    "generalized": "generlized generalised genralized",
    "hallucinating": "halucinating hallucinatng",
    "headache": "headach haedache headahce ha",
    "hematoma": "hemotoma hemetoma",
    "hemoptysis": "hemoptisis hemopysis hemoptysys",
    "hypertension": "hypertention hypertensoin",
    "hypoglycemia": "hypoglycema hypogylcemia hypoglicemia",
    "inhaler": "inhailer inhaller inahler",
    "injury": "injry injurey inury",
    "insulin": "insuline inslin",
    "intoxicated": "intoxicted intoxicatd intox",
    "jaundice": "jaundic jaundise jandice",
    "knee": "kne nee knea",
    "labored": "labord laborred",
    "laceration": "laceraton lacertion lac laseration",
    "lethargic": "lethargc letharic lethergic",
    "lower": "lowwer lowr",
    "malleolus": "maleolus malleolous",
    "mental": "mentel metal",
    "metformin": "metforman metformen",
    "migraine": "migrane migrain migrainne",
    "mother": "mothr mohter",
    "nausea": "nausia nasuea nausa nauseau",
    "numbness": "numness numbnes numbnss",
    "orthopnea": "orthopnia orthopena",
    "overdose": "overdoes overdos od",
    "palpitations": "palpatations palpitatons palps",
    "patient": "pateint patinet",
    "persistent": "persistant persistnt",
    "phlegm": "flem phlem phelgm flegm",
    "playing": "palying plaing",
    "pleuritic": "pluritic pleurtic pleuretic",
    "pneumonia": "pnuemonia pneumona neumonia pnemonia pna",
    "postictal": "posictal postical",
    "prednisone": "prednisne predisone prednison",
    "pressure": "presure pressue preasure",
    "productive": "prodctive productve",
    "redness": "rednes rednss",
    "respirations": "respirtions respiratons",
    "retractions": "retractons retactions",
    "seizure": "siezure seizue seisure seziure",
    "seizures": "siezures seisures",
    "severe": "sever sevre",
    "shortness": "shortnes shotness shortnss",
    "sided": "sidded sied",
    "slurred": "slured slurrd slurrred",
    "sore": "soar soer",
    "speech": "speach speeh spech",
    "sputum": "sputem spututm sptum",
    "stiffness": "stifness stiffnes",
    "stools": "stoools stoosl",
    "stroke": "strok stoke storke",
    "surgery": "surgry sugery",
    "swallowing": "swalowing swallowng",
    "swelling": "sweling swellng swellling",
    "swollen": "swolen swollan swollin",
    "symptoms": "symtoms symptons sympoms syptoms",
    "temperature": "temperture temprature",
    "throat": "thraot troat throght",
    "tingling": "tingleing tinglng tinging",
    "tonsils": "tonsills tonsles",
    "twisted": "twised twistd",
    "tylenol": "tylenal tynelol tyelnol tylonol",
    "unresponsive": "unresponsve unresposive unresponive",
    "unsteady": "unsteay unstedy",
    "urine": "urin urnie",
    "vertigo": "vertgo virtigo",
    "vision": "visoin vison",
    "vomiting": "vomitting vomting vomiitng vommiting",
    "walking": "waling walkng",
    "weakness": "weaknes weekness weaknness",
    "weight": "wieght weigt",
    "wheezing": "wheezng weezing wheezig wheesing",
    "yellow": "yelow yello",
    "yesterday": "yesteday yesterady",
}
