/** What decides whether a checkout may be published. */
interface ReleaseFacts {
  /** Version in package.json. */
  readonly version: string;
  /** Names of the tags of the commit that is checked out. */
  readonly tags: readonly string[];
  /** Files that differ from that commit, or that it does not have. */
  readonly changed: readonly string[];
  readonly changelog: string;
}

/** Why this checkout must not be published, one sentence each; none when it may be. */
export function findObstacles({ version, tags, changed, changelog }: ReleaseFacts): string[] {
  const tag = `v${version}`;
  return [
    ...(changed.length === 0 ? [] : [`These files are not as they were committed: ${changed.join(', ')}.`]),
    ...(tags.includes(tag) ? [] : [`The commit has no tag ${tag}, which package.json asks for.`]),
    ...(changelog.split('\n').some((line) => line.startsWith(`## ${version}`))
      ? []
      : [`CHANGELOG.md has no heading for ${version}.`]),
  ];
}
