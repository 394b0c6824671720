import type { ErrorCode } from 'yaml';

/**
 * What a parser's complaint means, in words of our own: the parser's quote the text of the file, and there may be a
 * secret in it.
 */
export const yamlFaults: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) cannot have an anchor or a tag of its own',
  BAD_ALIAS: 'an alias (*name) has no name',
  BAD_DIRECTIVE: 'a line that begins with % is not understood; leave it out',
  BAD_DQ_ESCAPE: 'a backslash in double quotes is followed by a letter that means nothing; use single quotes',
  BAD_INDENT: 'the indentation does not fit the lines around it, or a bracket is not closed',
  BAD_PROP_ORDER: 'an anchor or tag stands in the wrong place',
  BAD_SCALAR_START: 'a value cannot begin with @, ` or %; put it into quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a key, a colon and another key stand in one line; put quotes around the value',
  BLOCK_IN_FLOW: 'indented lines cannot stand inside { } or [ ]',
  DUPLICATE_KEY: 'the key is there twice',
  IMPOSSIBLE: 'this is not YAML',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MISSING_CHAR:
    'something is missing: a colon after a key, a blank after a colon, or the end of a quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'a key goes over more than one line; is a colon or a quote missing?',
  MULTIPLE_ANCHORS: 'a value has more than one anchor',
  MULTIPLE_DOCS: 'the file holds more than one document; take the line --- out',
  MULTIPLE_TAGS: 'a value has more than one tag',
  NON_STRING_KEY: 'a key must be a word',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
  TAB_AS_INDENT: 'a tab indents the line; YAML takes blanks only',
  TAG_RESOLVE_FAILED: 'a tag (!name) is not understood; write the value without it',
  UNEXPECTED_TOKEN: 'something stands where YAML does not allow it; are quotes or a line break missing?',
  BAD_COLLECTION_TYPE: 'a tag does not fit its value',
};
