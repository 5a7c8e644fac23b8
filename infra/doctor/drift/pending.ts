import { shown } from '../../shown.ts'
import type { StackState } from '../../stack-state.ts'
import { differs, type Finding } from '../finding.ts'

/** Reports what a run was doing when it was killed, or is doing now. */
export function pendingDifferences({ pending }: StackState): readonly Finding[] {
  if (pending.length === 0) return []
  const names = (wanted: boolean) =>
    pending
      .filter(({ kind }) => (kind === 'creating') === wanted)
      .map(({ kind, resource }) => `${kind === 'other' ? 'changing' : kind} ${shown(resource.name)}`)
  const [creating, changing] = [names(true), names(false)]
  // The engine drops the others at the next run, and keeps creations until somebody clears them.
  const clear =
    'First do what the other lines say about what it left. Then run pulumi refresh --clear-pending-creates, and pulumi up.'
  return [
    differs(
      `A run is under way, or was killed while it was ${[...creating, ...changing].join(', ')}.`,
      `If no run is under way: pulumi cancel. ${creating.length > 0 ? clear : 'Then run pulumi up.'}`,
    ),
  ]
}
