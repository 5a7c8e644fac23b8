import { quoteValue } from '../../lib/quote.ts'
import { isGuid } from '../../lib/settings/readers.ts'
import { findIn, ofType, presentIn, type StateResource } from '../exported-state.ts'
import { fieldOf, textOf } from '../json.ts'
import { isOfPush, tokenTypes, types } from '../resource-names.ts'
import { adoption } from '../resources/existing-record.ts'
import { bootstrapAddresses } from '../resources/record-arguments.ts'
import { titleOf } from '../settings/readers/records.ts'
import type { RecordPlan } from '../settings/stack-settings.ts'
import { changeDifferences, type Difference, differs, lacking } from './difference.ts'
import { rotateToken } from './expiry.ts'
import type { Check } from './look.ts'
import { tokenTitle } from './rows.ts'

/** A harmless reason why the state does not know something. */
export const leftoverCause = 'A create request whose response was lost can leave one behind.'
export const howToDelete = 'Make sure that no run is under way, then delete it'

/** Finds tokens with a name of the stack that the state does not know, and its own that somebody edited or rolled. */
const tokenChecks: Check = async ({ settings, state, tokenNames, push, cloudflare, apiUrl }) => {
  const { record, accountId } = settings
  if (record === null) return []
  const [path, where] =
    record.token.owner === 'account'
      ? [`/accounts/${accountId}/tokens`, 'Manage account, Account API tokens']
      : ['/user/tokens', 'the profile of the person who owns mintingApiToken, API Tokens']
  const found = await cloudflare.all(path, 'the tokens')
  const own = ofType(state, ...tokenTypes)
  const isKnown = (one: unknown) => own.some(({ id }) => id === fieldOf(one, 'id'))
  function unknown(names: readonly string[], isPush: boolean): readonly Difference[] {
    const isOwn = ({ name }: StateResource) => isOfPush(name) === isPush
    // If an older state was restored, the token that the workflow uses is one that the state does not know.
    const isSpare =
      own.some(one => isOwn(one) && found.some(each => fieldOf(each, 'id') === one.id)) ||
      state.pending.some(({ resource }) => tokenTypes.includes(resource.type) && isOwn(resource))
    const remove = `printf 'Authorization: Bearer %s' "$(pulumi config get mintingApiToken)" | curl --request DELETE --header @- ${apiUrl}${path}`
    const fixOf = (id: string | null) =>
      isSpare
        ? `${howToDelete} under ${where}, or run: ${remove}/${idOr(id)}. If a stack in another backend has this name, the token is that stack's: keep it.`
        : `It can be the one in use, because the stack has no other. Run pulumi up first, which creates another one${isPush ? '' : ', and hand it over'}. Then run npm run drift again.`
    return found
      .filter(one => names.includes(textOf(one, 'name') ?? '') && !isKnown(one))
      .filter(one => fieldOf(one, 'status') !== 'expired')
      .map(one =>
        differs(
          `There is a token ${quoteValue(textOf(one, 'id'))} with the name ${textOf(one, 'name')}, created ${quoteValue(textOf(one, 'issued_on'))}, which the state does not know. It can change the zone.`,
          fixOf(textOf(one, 'id')),
        ),
      )
  }
  return [
    ...unknown(tokenNames, false),
    ...(settings.push ? unknown(push.tokenNames, true) : []),
    ...presentIn(state, ...tokenTypes).flatMap(({ id, name, outputs }) =>
      changeDifferences(
        tokenTitle(name),
        fieldOf(
          found.find(one => fieldOf(one, 'id') === id),
          'modified_on',
        ),
        outputs['modifiedOn'],
        `Somebody edited or rolled it. Find out who did. Then rotate it: ${rotateToken()}.`,
      ),
    ),
  ]
}

/** Types that decide where people who ask for a name go. Another record, such as a TXT, takes nothing over. */
const leadingTypes: readonly unknown[] = ['A', 'AAAA', 'CNAME', 'HTTPS', 'SVCB', 'NS']

/** Finds records with a hostname of the stack that the state does not know, and those that it lacks. */
const recordChecks: Check = async ({ settings: { zoneId, record }, state, cloudflare }) => {
  const plans = record?.plans ?? []
  const known: readonly unknown[] = ofType(state, types.record).map(({ id }) => id)
  const isIn = ({ name, type }: RecordPlan) =>
    presentIn(state, types.record).some(({ inputs }) => inputs['name'] === name && inputs['type'] === type)
  const lists = [...new Set(plans.map(({ name }) => name))].map(async name => {
    const path = `/zones/${zoneId}/dns_records?${new URLSearchParams({ name })}`
    const found = await cloudflare.all(path, 'the records')
    const has = (type: string) => found.some(one => fieldOf(one, 'type') === type)
    // A run refuses to create a record beside one of these.
    const absent = plans.filter(plan => plan.name === name && !isIn(plan) && !has(plan.type) && !has('CNAME'))
    const unknown = found
      .filter(
        one => (textOf(one, 'name') ?? '').toLowerCase() === name && !known.includes(fieldOf(one, 'id')),
      )
      .filter(one => leadingTypes.includes(fieldOf(one, 'type')))
      .map(one => {
        const [id, type] = [textOf(one, 'id'), textOf(one, 'type')]
        const subject = `There is a record ${quoteValue(id)} (${name}, ${type})`
        const plan = plans.find(each => each.name === name && each.type === type)
        if (type === 'CNAME')
          return differs(
            `${subject}, so the name can have no ${plans.find(one => one.name === name)?.type} record.`,
            'Find out in the dashboard, under DNS, what needs it. If nothing does, delete it, then run pulumi up. Otherwise choose another hostname.',
          )
        if (plan === undefined) {
          const isAddress = type === 'A' || type === 'AAAA'
          const declared = [...new Set(plans.map(one => one.type)), type]
          return differs(
            `${subject}, which decides where people go, too.`,
            `Find out in the dashboard, under DNS, who added it and what for. If nothing needs it, remove it there: the program does not declare it, and the DNS token can write it too.${
              isAddress
                ? ` To keep its address up to date, declare it: pulumi config set --plaintext recordType ${declared}, then ${adoption(id, `${name} ${type}`)}`
                : ''
            }`,
          )
        }
        const own = found.find(each => fieldOf(each, 'type') === type && known.includes(fieldOf(each, 'id')))
        return own
          ? second(subject, one, own, plan)
          : differs(
              `${subject}, which the state does not know.`,
              // While the state has one that is gone, a run refuses to adopt another.
              `Adopt it: ${isIn(plan) ? 'pulumi refresh, then ' : ''}${adoption(id, plans.length === 1 ? null : titleOf(plan))}`,
            )
      })
    return [...lacking(...absent.map(({ type }) => `the record ${quoteValue(name)} (${type})`)), ...unknown]
  })
  return (await Promise.all(lists)).flat()
}

/** Reports a record besides the stack's own. Addresses are not printed: logs of a public repository are public. */
function second(subject: string, one: unknown, own: unknown, { type }: RecordPlan): Difference {
  const isBootstrap = fieldOf(one, 'content') === bootstrapAddresses[type]
  return differs(
    `${subject} besides the stack's own, ${quoteValue(textOf(own, 'id'))}. It answers with ${isBootstrap ? 'the bootstrap address' : 'an address of its own'}.`,
    `${isBootstrap ? 'If no run is under way, delete it in the dashboard, under DNS' : 'Compare their addresses in the dashboard, under DNS, and keep the one that is right'}: the action refuses to choose between two.`,
  )
}

/**
 * Finds a database with the name that the stack's would have, if the state has none. Cloudflare refuses to create a second
 * one with its name, so every `pulumi up` stops there.
 */
const databaseChecks: Check = async ({ settings: { accountId, signIn }, state, serviceName, cloudflare }) => {
  if (!signIn?.worker || findIn(state, types.database)) return []
  const path = `/accounts/${accountId}/d1/database?${new URLSearchParams({ name: serviceName })}`
  const found = (await cloudflare.all(path, 'the databases')).filter(
    one => fieldOf(one, 'name') === serviceName,
  )
  if (found.length === 0) return lacking('the database')
  return found.map(one =>
    differs(
      `There is a database ${quoteValue(textOf(one, 'uuid'))} with the name ${serviceName}, created ${quoteValue(textOf(one, 'created_at'))}, which the state does not know. ${leftoverCause} So can pulumi destroy, a lost state or a renamed stack.`,
      `If it is another stack's, give this one another name: pulumi stack rename. Otherwise adopt it, which deletes nothing: pulumi import ${types.database} handler-database ${accountId}/${idOr(textOf(one, 'uuid'))} --generate-code=false, then pulumi up.`,
    ),
  )
}

/** Returns an id that is safe in a command. */
export const idOr = (id: string | null): string =>
  id !== null && (isGuid(id) || /^[0-9a-f]{32}$/.test(id)) ? id : '…'

export const cloudflareChecks: readonly Check[] = [tokenChecks, recordChecks, databaseChecks]
