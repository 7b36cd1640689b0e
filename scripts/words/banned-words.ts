/** A word that is not used in this project, and what to write instead. */
export interface BannedWord {
  /** How it is called in a summary. */
  readonly word: string;
  /** Matched against text as `readWords` reads it: lower case, `letNextStepOut` as `let next step out`, lines joined. */
  readonly pattern: RegExp;
  readonly say: string;
  /** Phrases in which the word is right. */
  readonly allow?: RegExp;
  /** Files in which it is right. */
  readonly allowFiles?: RegExp;
}

/** Files that nobody writes by hand, whose words are those of others or of the past, and those that name the words to refuse them. */
export const ignoredFiles =
  /^test\/replay\/histories\/|^scripts\/words\/|^test\/scripts\/(words\.test\.ts|compose-spec\.json)$|^docs\/adr\/0020-|package-lock\.json$|go\.(mod|sum)$|^deploy\/compose\//;

/** Lines in which old names are right: the tables of CHANGELOG.md tell what has been renamed. */
export const ignoredLines = { files: /^CHANGELOG\.md$/, lines: /^\|/ } as const;

/** The words of a dialect that this project once had, and metaphors where the field has a term. */
export const bannedWords: readonly BannedWord[] = [
  {
    word: 'step out',
    pattern: /\bstep(s|ped|ping)? ((it|them|one|nodes?|(the|a|each|no further) nodes?) )?out\b/g,
    say: 'exclude, be excluded',
  },
  {
    word: 'let go',
    pattern: /\blet(s|ting)? ((the|a|an|its|it|them|him|old|next|no|node|nodes|pod|pods) ){0,2}go\b/g,
    say: 'deregister (load balancers), release (locks, pods), clean up (the end of a run)',
  },
  {
    word: 'let out',
    pattern: /\blet(s|ting)? ((the|a|it|them|no|further|next|node|nodes) ){0,3}(out|follow)\b/g,
    say: 'exclude',
  },
  { word: 'observed out', pattern: /\b(observed?|seen) out\b/g, say: 'deregistered' },
  {
    word: 'way out',
    pattern: /\bon (its|their|the) way (out|back|in)\b/g,
    say: 'in progress, leaving, being restored',
  },
  {
    word: 'hand over',
    pattern: /\bhand(s|ed|ing)? ?((it|them|one|pods?|(the|its|their|all|every) (pods?|workloads?)) )?over\b/g,
    say: 'surge pods, pod surge',
  },
  {
    word: 'give back',
    pattern: /\bg(ive|ives|iving|iven|ave) (\w+ ){0,2}back\b/g,
    say: 'return to the ReplicaSet (adopt), restore',
  },
  { word: 'put back', pattern: /\bput(s|ting)? (\w+ ){0,3}back\b/g, say: 'restore (one object), roll back (the run)' },
  { word: 'take back in', pattern: /\bt(ake|akes|aking|aken|ook) (\w+ ){0,3}back in\b/g, say: 'restore' },
  { word: 'turn back', pattern: /\bturn(s|ed|ing)? (back|around)\b/g, say: 'roll back' },
  { word: 'turn', pattern: /\b(another|eviction) turns?\b/g, say: 'round, attempt, ticket of a queue' },
  {
    word: 'hold',
    pattern:
      /\bh(old|olds|olding|eld) ((it|them|its|one|others|nodes?|pods?|everybody|nobody|no|the|a|an|node|pod|run) ){0,2}(back|off|up)\b|\bwhat h(olds|eld)\b|\bhold (rebalancing|pool)\b|\bheld (back|processes|entries|rebalancing|to|pools?|pods?|nodes?|at)\b|\bon hold\b/g,
    say: 'block (guard, budget), suspend (scaling), wait for, recall (signal)',
    allowFiles: /^scripts\//,
  },
  {
    word: 'retire',
    pattern: /\bretir(e|es|ed|ing|ement|ements)\b/g,
    say: 'remove (endpoints), delete (the old pool), disrupted (the taint)',
  },
  { word: 'unlist', pattern: /\bunlist(s|ed|ing)?\b/g, say: 'remove from endpoints' },
  {
    word: 'transit',
    pattern: /\btransit\b/g,
    say: 'forwarded (connections)',
    allow: /\btransit gateways?\b|\bencrypt\w* in transit\b/g,
  },
  { word: 'floor', pattern: /\bfloors?\b/g, say: 'minimum serving', allow: /\bmath\.floor\b/g },
  { word: 'at its best', pattern: /\bat (its|their) best\b/g, say: 'baseline' },
  {
    word: 'memo',
    pattern: /\bmemos?\b/g,
    say: 'checkpoint',
    // Temporal's word for what it keeps with a workflow, to be listed.
    allowFiles:
      /^(workflows\/(messages|window-launcher|run\/run)|client\/(list-runs|find-run|events\/\S+|commands\/upgrade)|test\/workflows\/operator-needs\.test)\.ts$/,
  },
  { word: 'parked', pattern: /\b(un)?park(s|ed|ing)?\b/g, say: 'stalled' },
  { word: 'needs attention', pattern: /\b(need|needs|needed|asks?|asked) (for )?attention\b/g, say: 'stalled' },
  { word: 'needs a human', pattern: /\bneeds? (a )?human\b/g, say: 'stalled' },
  { word: 'stray', pattern: /\bstrays?\b/g, say: 'untracked' },
  { word: 'stranger', pattern: /\bstrangers?\b/g, say: 'unjoined instance, newcomer' },
  {
    word: 'mark',
    pattern:
      /\b(a|the|our|its|no|whose|these|their|of|carry|carries|every|own|has|have|node|find|foreign|all) marks?\b|\bmarks (of|on|stay|go|and)\b/g,
    say: 'label, annotation, taint; ownership mark',
    allow: /\b(ownership|unmanaged|question|connection|packet|firewall) marks?( (of|on|stay|go|and))?\b/g,
    allowFiles: /^lab\/dataplane\//,
  },
  { word: 'wish', pattern: /\bwish(es|ed)?\b/g, say: 'do-not-disrupt, request' },
  {
    word: 'foreign act',
    pattern: /\bforeign (acts?|marks?|hands?|changes?|cordons?)\b|\bwhat others did\b/g,
    say: 'external change, unmanaged mark',
  },
  {
    word: 'claim',
    pattern:
      /\bclaim(s|ed|ing)? ((its|their|the|a) )?nodes?\b|\b(un|require )claim(s|ed)?\b|\bnode claims?\b|\bnodeferry\.dev\/claim\b/g,
    say: 'fence (a node)',
    allow: /\bkarpenter\b.{0,80}\bnode claims?\b|\bnode claims?\b.{0,80}\bkarpenter\b/g,
  },
  { word: 'mend', pattern: /\bmend(s|ed|ing)?\b/g, say: 'fix' },
  {
    word: 'crossing',
    pattern: /\bcrossings?\b/g,
    say: 'upgrade',
    allow: /\bcrossing (\w+ )?(zones?|networks?|regions?|nodes?)\b/g,
  },
  { word: 'makespan', pattern: /\bmakespans?\b/g, say: 'duration' },
  { word: 'how it stands', pattern: /\bhow (it|they|things|((a|the|this|each|every) )?\w+) stands?\b/g, say: 'status' },
  { word: 'until somebody takes it', pattern: /\buntil somebody takes\b/g, say: 'say who owns it' },
  {
    word: 'machine',
    pattern: /\bmachines?\b/g,
    say: 'instance',
    allow:
      /\bstate machines?\b|\b(this|your|own|two core|build|ci|development|virtual|bare|clean|quiet|busy|loaded|linux|local) machines?\b|\bmachines? with nothing\b|\bmachine readable\b|\bmachine id\b|\bmachine types?\b/g,
    allowFiles:
      /^(scripts|bin|demo|bench)\/|^test\/(scripts|support|e2e|replay|lab|bench)\/|^lab\/(cluster|dataplane|agents|kubernetes)\/|^lab\/[^/]+$|^vitest\.config\.ts$|^\.ci\//,
  },
  {
    word: 'look',
    pattern: /\blook(s|ed|ing)?\b/g,
    say: 'observation, observe, check',
    allow: /\blook(s|ed|ing)? (\w+ ){0,2}(up|like|for|into|closer|alike|alive)\b/g,
  },
  { word: 'sweep', pattern: /\bsweep(s|er|ing)?\b|\bswept\b/g, say: 'clean up, cleanup' },
  { word: 'retreat', pattern: /\bretreat(s|ed|ing)?\b/g, say: 'scale in, remove new nodes' },
  { word: 'linger', pattern: /\blinger(s|ed|ing)?\b/g, say: 'sleep' },
  { word: 'elsewhere', pattern: /\bserving elsewhere\b/g, say: 'replacements serving' },
  { word: 'removeOwnershipMarks', pattern: /\bdisown(s|ed|ing)?\b/g, say: 'abandoned' },
  {
    word: 'undo ledger',
    pattern: /\bundo ledgers?\b|\bledger entr(y|ies)\b|\brun\.ledger\b/g,
    say: 'rollback list, rollback entry',
  },
  { word: 'wait out', pattern: /\bwait(s|ed|ing)? out (the )?(propagation|transit)/g, say: 'wait for' },
];
