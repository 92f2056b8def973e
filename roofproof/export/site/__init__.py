"""The site: pages that are read without anything, and the engine in a browser tab.

site              the whole, written into a folder: pages, what they load, the engine
studies           what the page of an operation says: thresholds and proofs in every format, every chip
pages             the atlas as pages: the index, one of each operation and chip
live_pages        an operation whose sizes move, a book of claims that is judged
service_pages     a question of one's own, the banks of exercises, what other pages embed
typesetting       formulas set by KaTeX when the site is written
rendering         the templates
answers           what the pages ask the engine, by kind
web_operations  ... of an operation: its threshold, its proof, files
asked_books       ... of a book: its claims one by one, the errata sheet
asked_exercises   ... of an answer: its grade and hints
runtime           archives of pinned versions, fetched once, checked, kept
packing           what the browser loads of them
"""
