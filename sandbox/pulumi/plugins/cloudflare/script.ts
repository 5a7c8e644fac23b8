import { createHash } from 'node:crypto'
import {
  asList,
  asProperties,
  changedKeys,
  isSet,
  type Json,
  type Properties,
  pick,
  text,
  toCamel,
  toSnake,
} from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { RestError } from '../rest.ts'
import type { Cloudflare } from './client.ts'

/** Settings that the service returns. One that the program does not declare in full always differs. */
const declarable = ['observability', 'limits', 'compatibilityDate', 'compatibilityFlags']
/**
 * Settings that differ as soon as somebody turns them on, although the program does not declare them. observed. [cloudflare 5.22, run
 * against an emulator]
 */
const offByDefault = ['logpush', 'tailConsumers']

const account = (inputs: Properties) => `/accounts/${text(inputs['accountId'])}/workers`
const scriptPath = (inputs: Properties) => `${account(inputs)}/scripts/${text(inputs['scriptName'])}`

const sha256 = (code: string): string => createHash('sha256').update(code).digest('hex')

/** Returns the code of a script. @throws RestError if it does not match the declared hash, as in the provider (its source) */
function codeOf({ content, contentSha256 }: Properties): string {
  const code = text(content)
  if (contentSha256 !== undefined && contentSha256 !== sha256(code)) {
    throw new RestError(
      `content_sha256 is ${text(contentSha256)}, but the hash of the content is ${sha256(code)}.`,
    )
  }
  return code
}

/** Returns the metadata of an upload, which always includes `logpush` and `usage_model` (observed). */
const metadataOf = (inputs: Properties): Json => ({
  main_module: inputs['mainModule'] ?? 'index.mjs',
  bindings: asList(inputs['bindings']).map(toSnake),
  logpush: inputs['logpush'] ?? false,
  usage_model: inputs['usageModel'] ?? 'standard',
  ...asProperties(toSnake(pick(inputs, declarable))),
})

async function upload(client: Cloudflare, inputs: Properties): Promise<Properties> {
  const form = new FormData()
  const main = text(inputs['mainModule']) || 'index.mjs'
  const code = codeOf(inputs)
  form.append(main, new Blob([code], { type: 'application/javascript+module' }), main)
  form.append('metadata', JSON.stringify(metadataOf(inputs)))
  const script = await client.call({ method: 'PUT', path: scriptPath(inputs), form })
  return {
    ...inputs,
    ...servedOf(script),
    // observed: The provider records whole seconds. [cloudflare 5.22, run against an emulator]
    modifiedOn: text(script['modified_on']).replace(/\.\d+Z$/, 'Z'),
    contentSha256: sha256(code),
  }
}

/** Omits `etag`, which would differ at every refresh. The date of change stays that of the upload. */
const servedOf = (script: Properties): Properties => ({
  createdOn: script['created_on'] ?? null,
  hasModules: script['has_modules'] ?? true,
})

/** Returns the code in the first part of a form (source of the provider). */
async function firstPart(body: string, type: string): Promise<string> {
  if (!type.startsWith('multipart/')) return body
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const [part] = [...form.values()]
  return part === undefined || typeof part === 'string' ? (part ?? '') : part.text()
}

/**
 * Returns the bindings as a refresh shows them: those of the state without the secrets that the service lacks, and further ones
 * that are not secrets. So a changed or removed binding that is not secret does not show, nor does another value of a secret.
 */
function bindingsIn(declared: Properties, settings: Properties): Properties {
  // workers_script/custom.go: UpdateSecretTextsFromState; each of these observed. [cloudflare 5.22, run against an emulator]
  const known = asList(declared['bindings']).map(asProperties)
  const served = asList(toCamel(settings['bindings'] ?? [])).map(asProperties)
  const isSecret = ({ type }: Properties) => type === 'secret_text'
  const isIn = (list: readonly Properties[], { name, type }: Properties) =>
    list.some(other => other['name'] === name && other['type'] === type)
  const bindings = [
    ...known.filter(one => !isSecret(one) || isIn(served, one)),
    ...served.filter(one => !isSecret(one) && !isIn(known, one)),
  ]
  return declared['bindings'] === undefined && bindings.length === 0 ? {} : { bindings }
}

/** Returns the inputs that would have created what exists. Compares code by hash and settings by field. */
function refreshed(declared: Properties, settings: Properties, code: string): Properties {
  const all = asProperties(toCamel(settings))
  const served = pick(all, declarable)
  const changed = pick(served, changedKeys(pick(declared, declarable), served))
  const turnedOn = offByDefault.filter(name => all[name] !== false && isSet(all[name]))
  const dropped = declarable.filter(name => declared[name] !== undefined && served[name] === undefined)
  const kept = Object.fromEntries(Object.entries(declared).filter(([name]) => !dropped.includes(name)))
  const drifted = (declared['contentSha256'] ?? sha256(text(declared['content']))) !== sha256(code)
  return {
    ...kept,
    ...changed,
    ...pick(all, turnedOn),
    ...bindingsIn(declared, settings),
    ...(drifted ? { content: code } : {}),
    ...(drifted && declared['contentSha256'] !== undefined ? { contentSha256: sha256(code) } : {}),
  }
}

/** A Worker. Every update sends all of its code, bindings and settings. */
export const workersScript: Resource<Cloudflare> = {
  // workers_script/schema.go: account_id and script_name are RequiresReplace.
  replaceOn: ['accountId', 'scriptName'],
  computed: ['createdOn', 'modifiedOn', 'hasModules'],
  create: async (client, inputs) => ({
    id: text(inputs['scriptName']),
    state: await upload(client, inputs),
  }),
  path: (id, state) => `${account(state)}/services/${id}`,
  read: async (_, id, { inputs, state }, client) => {
    const from = { accountId: state['accountId'] ?? null, scriptName: id }
    const settings = await client.call({ method: 'GET', path: `${scriptPath(from)}/settings` })
    const { body, type } = await client.raw({ method: 'GET', path: `${scriptPath(from)}/content/v2` })
    const code = await firstPart(body, type)
    const now = refreshed(inputs, settings, code)
    return { id, inputs: now, state: { ...state, ...now, contentSha256: sha256(code) } }
  },
  update: async (client, _, inputs) => upload(client, inputs),
  delete: async (client, _, state) => {
    await client.call({ method: 'DELETE', path: scriptPath(state) })
  },
}
