// Words that were given up for those of docs/glossary.md, and where one of them means something else and may stay.

export interface RetiredWord {
  /** Whole words, and parts of names: `fold` is found in `beginFold` and in `select-fold.ts`. */
  readonly words: readonly string[];
  readonly instead: string;
  /** Looked for only in the names of files and in those that code declares: in prose, and in what models read, it may stay. */
  readonly isNameOnly?: true;
  /** Files in which the word has another meaning. */
  readonly except?: RegExp;
}

/** Where the words are listed themselves, read from what was stored with them, or told as history. */
export const historyFiles =
  /^(?:CHANGELOG\.md|docs\/glossary\.md|docs\/decisions\/|test\/retired-words|packages\/[a-z]+\/(?:src|test)(?:\/pass)?\/earlier-words|.*\/fixtures\/)/;

export const retiredWords: readonly RetiredWord[] = [
  {
    words: ['fold', 'folds', 'folded', 'folding', 'foldable', 'unfold'],
    instead: 'compact, compaction',
    // Blocks of the screen that open and close; the parts of a cross-validation.
    except:
      /^packages\/cli\/src\/chat\/|^bench\/src\/fit-estimator\.ts$|^packages\/tokenizers\/src\/.*\.test\.ts$/,
  },
  { words: ['rung', 'rungs'], instead: 'ladder step' },
  // Paths climb out of a folder.
  { words: ['climb', 'climbs', 'climbed', 'climbing'], instead: 'pass, run', except: /^test\/borders\.ts$/ },
  // A kind of metric of Prometheus.
  {
    words: ['gauge', 'gauges'],
    instead: 'token scale',
    except: /^packages\/server\/(src|test)\/operation\/|^docs\/guides\/running-the-server\.md$/,
  },
  { words: ['ride', 'rides', 'riding'], instead: 'cached-prefix summary' },
  {
    words: ['shorten', 'shortens', 'shortened', 'shortening'],
    instead: 'truncate',
    isNameOnly: true,
    except: /^packages\/proxy\//,
  },
  { words: ['seal', 'seals', 'sealed', 'unsealed'], instead: 'bound; range id', isNameOnly: true },
  { words: ['clearable'], instead: 'prunable' },
  { words: ['admitted', 'admission', 'admits'], instead: 'truncated, truncation' },
  { words: ['scene', 'narration', 'wishes', 'patience'], instead: 'RunContext, builder, request, wait' },
  {
    words: ['desk'],
    instead: 'SessionTransactions',
    // A help desk is one of the examples.
    except: /^docs\/guides\/writing-a-profile\.md$|^examples\/library\/|^test\/guides\.test\.ts$/,
  },
];

/** Names, tags and phrases that may not come back as they are. */
export const retiredNames: readonly string[] = [
  'SummaryRecord',
  'RangeIndex',
  'SealedRange',
  'RunScene',
  'ChatWorld',
  'isGap',
  'gapEntry',
  'lastUnit',
  'unitsOf',
  'lowTokens',
  'limitOutput',
  'isShortened',
  'shortenResult',
  'canRide',
  'tellUsage',
  'tell-usage',
  'isHeldBack',
  'openAttempt',
  'result-cleared',
  'result-shortened',
  'arguments-cleared',
  'text-shortened',
  'range-summarised',
  'low mark',
];
