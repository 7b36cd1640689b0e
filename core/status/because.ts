/** Who did something and, where they said it, why. */
export function because({ by, reason }: { readonly by: string; readonly reason: string }): string {
  return reason === '' ? by : `${by}: ${reason}`;
}
