/** Words the synthetic transcripts are made of. */
export const nouns = (
  'account address agent archive array backup batch branch buffer cache cart channel client cluster column commit ' +
  'config connection cookie counter cursor customer database deployment device document domain driver endpoint engine ' +
  'event export factory feature field filter folder gateway handler header image import index input instance invoice ' +
  'job journal key label layer ledger limit listener locale lock logger mailbox manifest mapper message metric ' +
  'migration model module monitor notice object order packet page parser patch payload payment permission pipeline ' +
  'plugin pointer policy pool port price profile project promise proxy queue quota record region registry release ' +
  'report request resolver resource response result retry role route rule runner sample scheduler schema scope script ' +
  'search secret segment sender server session setting shard signal snapshot socket source stage state storage store ' +
  'stream string subscription summary switch symbol table target task template tenant thread ticket timer token topic ' +
  'trace tracker transfer trigger tunnel update upload user validator value vector vendor version volume wallet ' +
  'watcher webhook widget window worker workflow zone'
).split(' ');

export const verbs = (
  'accept add align apply attach build calculate cancel check clean close collect compare compile compress connect ' +
  'convert copy create decode delete deliver detect discard download drain emit encode enqueue evict expand extract ' +
  'fetch filter find flush format generate handle ignore import insert inspect install invoke join launch limit list ' +
  'load lock map measure merge migrate mount move normalise notify open parse patch persist pick poll prepare print ' +
  'publish push read rebuild receive record reduce refresh register reject release remove rename render replace report ' +
  'reset resolve restore retry return rewrite rotate run sample save scan schedule select send serialise set sign skip ' +
  'sort split start stop store stream submit subscribe switch sync test trace track transform trim update upload ' +
  'validate verify wait watch wrap write'
).split(' ');

export const fillers = (
  'after again already although and any as at back because before behind between both but by can either every first ' +
  'for from here if in instead into is it its just last later more much must never next no not now of on once only or ' +
  'other over same second should since so some still than that the their then there these this those though through ' +
  'to too under until very was we when where which while will with without would yet'
).split(' ');
