import { shown } from '../shown.ts'
import { differs, type Finding } from './finding.ts'

/**
 * Reports a database that keeps its data elsewhere than the configuration says. The service takes a jurisdiction only from a
 * new database, so no run changes it.
 * @param found null if the database has none
 * @param declared null if the configuration has none
 */
export function jurisdictionDifferences(
  id: string,
  found: string | null,
  declared: string | null,
): readonly Finding[] {
  if (found === declared) return []
  const keep =
    found === null
      ? 'pulumi config rm databaseJurisdiction'
      : `pulumi config set --plaintext databaseJurisdiction ${/^[a-z]{1,20}$/.test(found) ? found : '…'}`
  return [
    differs(
      `The database ${shown(id)} has ${found === null ? 'no jurisdiction' : `the jurisdiction ${shown(found)}`}, ${declared === null ? 'and databaseJurisdiction is not set' : `but databaseJurisdiction is ${declared}`}. Only a new database can get one.`,
      `To keep this database: ${keep}. To move the employees to a new one, follow "Move the database" in docs/operate.md.`,
    ),
  ]
}
