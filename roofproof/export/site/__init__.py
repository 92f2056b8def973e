"""The site: pages that need no software to read, and roofproof running in a browser tab.

site              the complete site, written into a folder: pages, the files they load, the browser version
studies           the content of an operation's page: thresholds and proofs in every format, answers on every chip
pages             the atlas as pages: the index, and a page for each operation and chip
live_pages        an operation with sliders for its sizes, a claims file to verify
service_pages     a question of the user's own, the exercise files, questions that other pages embed
typesetting       formulas set by KaTeX when the site is written
rendering         the templates
answers           requests of the pages to roofproof, by kind
web_operations    ... about an operation: its threshold, its proof, files
web_claims        ... about a claims file: its claims one by one, the errata report
web_exercises     ... about an answer: its grade and hints
runtime           archives of pinned versions, fetched once, verified and cached
packing           the files that the browser loads
"""
