/** What GKE would say of the version of new nodes. */
interface VersionQuestion {
  /** The version that the policy names, whole or short; undefined when it names none. */
  readonly wanted: string | undefined;
  /** The version of the pool that is replaced, which the new nodes get then. */
  readonly own: string;
  /** Versions of nodes that GKE offers there. */
  readonly offered: readonly string[];
  readonly controlPlane: string;
}

/**
 * Why GKE would create no nodes of that version, and what to do about it; undefined when it would. It offers whole versions (`1.36.3-gke.1000`), and takes
 * `1.36` and `1.36.3` for the newest of them.
 */
export function findVersionProblem({
  wanted,
  own,
  offered,
  controlPlane,
}: VersionQuestion): { readonly why: string; readonly hint: string } | undefined {
  const version = wanted ?? own;
  const offers = `It offers ${offered.join(', ')}.`;
  const isOffered = offered.some(
    (one) => one === version || (/^[.-]/.test(one.slice(version.length)) && one.startsWith(version)),
  );
  if (!isOffered && wanted === undefined) {
    return {
      why: `GKE no longer offers nodes of its version ${own} there, and the policy names no other`,
      hint: `Set spec.target.version in the policy, or spec.target.releaseVersion. ${offers}`,
    };
  }
  if (!isOffered) return { why: `GKE offers no nodes of version ${version} there`, hint: offers };
  if (minorOf(version) <= minorOf(controlPlane)) return undefined;
  return {
    why: `version ${version} is newer than the control plane (${controlPlane})`,
    hint: 'Upgrade the control plane first: nodes may not be of a newer minor version.',
  };
}

/** GKE compares no more: "Node version … must not have a greater minor version than master version …" (hashicorp/terraform-provider-google issue 6405). */
function minorOf(version: string): number {
  return Number(/^\d+\.(\d+)/.exec(version)?.[1] ?? 0);
}
