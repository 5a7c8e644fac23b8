/** One thing that a first release needs. `ask`: GitHub's API cannot tell, or it exists only after the release. */
export interface Requirement {
  readonly state: 'ok' | 'missing' | 'ask'
  readonly text: string
  /** What to run or to do. */
  readonly fix?: string
}

/** What the check knows of this clone. */
export interface Clone {
  readonly version: string
  readonly changelog: string
  /** Files that still have a placeholder in place of the owner. */
  readonly placeholders: readonly string[]
  /** As `2026-11-22`, in UTC. */
  readonly today: string
  /** The action's name on the marketplace. */
  readonly actionName: string
}

/** What GitHub answers to a GET of a path of its API: null if nobody answered in time. */
export type Get = (path: string) => Promise<{ readonly status: number; readonly body: unknown } | null>

const ok = (text: string): Requirement => ({ state: 'ok', text })
const missing = (text: string, fix: string): Requirement => ({ state: 'missing', text, fix })
const unknown = (text: string, fix: string): Requirement => ({ state: 'ask', text, fix })

/** The field of a parsed JSON value; undefined if it has none. */
const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The command that puts the owner into every file that has a placeholder. Names of images are in lower case, as Docker wants them. */
export const replaceOwner = (owner: string): string =>
  `git grep -lz OWNER/homeport -- . ':!test' ':!tools/release' | xargs -0 perl -pi -e ` +
  `'s|ghcr.io/OWNER/|ghcr.io/${owner.toLowerCase()}/|g; s|Replace OWNER, and|Replace|; s|OWNER/homeport|${owner}/homeport|g'`

/** Checks what a release reads of this clone. */
export function checkClone(
  { version, changelog, placeholders, today }: Clone,
  owner: string,
): readonly Requirement[] {
  const heading = changelog
    .split('\n')
    .find(line => line === `## ${version}` || line.startsWith(`## ${version} `))
  const dated = `## ${version} (${today})`
  return [
    placeholders.length === 0
      ? ok('Every file names the owner.')
      : missing(`${placeholders.join(', ')}: OWNER is no owner yet.`, replaceOwner(owner)),
    heading === undefined
      ? missing(`CHANGELOG.md has no section for ${version}.`, `Rename "## Unreleased" to "${dated}".`)
      : heading === dated
        ? ok(`CHANGELOG.md has ${version} with today's date.`)
        : missing(`CHANGELOG.md has "${heading}", without today's date.`, `Write "${dated}".`),
  ]
}

/**
 * Checks the settings of a repository, and its owner's images. Only sends GET.
 * @param images their names
 */
export async function checkRepository(
  ask: Get,
  repository: string,
  actionName: string,
  images: readonly string[],
): Promise<readonly Requirement[]> {
  const get: Get = path => ask(`/repos/${repository}${path}`)
  const found = await get('')
  if (found?.status !== 200) {
    const fix =
      'Check GITHUB_REPOSITORY, and that the token in GITHUB_TOKEN can read its settings (Administration, read).'
    return [unread(repository, found, fix)]
  }
  return [
    ok(`${repository} can be read.`),
    field(found.body, 'private') === false
      ? ok('It is public.')
      : missing(
          'It is private. The Marketplace lists public repositories only, and others cannot download releases.',
          `gh repo edit ${repository} --visibility public --accept-visibility-change-consequences`,
        ),
    ...(await checkEnvironment(get, repository)),
    await checkTagRule(get, repository),
    await checkSwitch(
      get,
      '/immutable-releases',
      'Releases are immutable',
      `gh api --method PUT repos/${repository}/immutable-releases`,
    ),
    await checkSwitch(
      get,
      '/private-vulnerability-reporting',
      'Private reports of vulnerabilities are on',
      `gh api --method PUT repos/${repository}/private-vulnerability-reporting`,
    ),
    unknown(
      `The name "${actionName}" must be free on the Marketplace. GitHub's API cannot be asked.`,
      'Open https://github.com/marketplace?type=actions and search for it.',
    ),
    await checkImages(ask, repository, field(field(found.body, 'owner'), 'type'), images),
  ]
}

/** Checks whether everybody can fetch the images. GitHub tells only a token that can read packages, and after the release. */
async function checkImages(
  get: Get,
  repository: string,
  ownerType: unknown,
  images: readonly string[],
): Promise<Requirement> {
  const [owner = ''] = repository.split('/')
  const kind = ownerType === 'Organization' ? 'orgs' : 'users'
  const answers = await Promise.all(
    images.map(async name => {
      const found = await get(`/${kind}/${owner}/packages/container/${name}`)
      return { name, visibility: found?.status === 200 ? field(found.body, 'visibility') : undefined }
    }),
  )
  const fix = 'open Packages, each image, Package settings, and change its visibility to public.'
  const hidden = answers.filter(({ visibility }) => visibility !== undefined && visibility !== 'public')
  if (hidden.length > 0)
    return missing(`Not public: ${hidden.map(({ name }) => name).join(', ')}.`, `At GitHub, ${fix}`)
  return answers.every(({ visibility }) => visibility === 'public')
    ? ok('The images are public.')
    : unknown('New images are private, even in a public repository.', `After the first release, ${fix}`)
}

const environment = '/environments/release'

async function checkEnvironment(get: Get, repository: string): Promise<readonly Requirement[]> {
  const settings = `https://github.com/${repository}/settings/environments`
  const found = await get(environment)
  if (found?.status === 404) {
    return [
      missing('There is no environment release.', `Create it, with reviewers, for tags v* only: ${settings}`),
    ]
  }
  if (found?.status !== 200) return [unread('The environment release', found)]
  const reviewers = list(field(found.body, 'protection_rules')).flatMap(rule =>
    list(field(rule, 'reviewers')),
  )
  const policies = await get(`${environment}/deployment-branch-policies?per_page=100`)
  const names = list(field(policies?.body, 'branch_policies'))
  const isLimited =
    names.length > 0 &&
    names.every(one => field(one, 'type') === 'tag' && String(field(one, 'name')).startsWith('v'))
  return [
    reviewers.length > 0
      ? ok('A person approves each release.')
      : missing('Nobody has to approve a release.', `Add reviewers to the environment release: ${settings}`),
    isLimited
      ? ok('Only tags v* can publish.')
      : missing(
          'Not only tags v* can use the environment release.',
          `Limit it to selected branches and tags, and add the tag rule v*: ${settings}`,
        ),
  ]
}

async function checkTagRule(get: Get, repository: string): Promise<Requirement> {
  const found = await get('/rulesets?per_page=100')
  if (found?.status !== 200) return unread('The rules', found)
  const active = list(found.body).filter(
    one => field(one, 'target') === 'tag' && field(one, 'enforcement') === 'active',
  )
  for (const one of active) {
    const { body } = (await get(`/rulesets/${Number(field(one, 'id'))}`)) ?? {}
    const kinds = list(field(body, 'rules')).map(rule => field(rule, 'type'))
    const included = list(field(field(field(body, 'conditions'), 'ref_name'), 'include'))
    if (
      ['update', 'deletion'].every(kind => kinds.includes(kind)) &&
      included.some(name => name === 'refs/tags/v*.*.*')
    ) {
      return ok('Nobody can move or delete the tag of a release.')
    }
  }
  return missing(
    'No active rule keeps tags v*.*.* from being moved or deleted.',
    `Add a tag ruleset for v*.*.* that restricts updates and deletions: https://github.com/${repository}/settings/rules`,
  )
}

/** Checks a setting that answers with `enabled`; 404 means that it is off. */
async function checkSwitch(get: Get, path: string, text: string, fix: string): Promise<Requirement> {
  const found = await get(path)
  if (found?.status === 404) return missing(`${text}: no.`, fix)
  if (found?.status !== 200) return unread(text, found)
  return field(found.body, 'enabled') === true ? ok(`${text}.`) : missing(`${text}: no.`, fix)
}

function unread(
  what: string,
  found: Awaited<ReturnType<Get>>,
  fix = 'Check that the token in GITHUB_TOKEN can read the settings of the repository (Administration, read).',
): Requirement {
  if (found !== null) return missing(`${what} could not be read: GitHub answered ${found.status}.`, fix)
  const connect = 'Check the connection to GitHub and GITHUB_API_URL, then run this again.'
  return missing(`${what} could not be read: there was no answer.`, connect)
}

/** Formats the requirements for people, and says whether anything is missing. */
export function reportOf(requirements: readonly Requirement[]): string {
  const lines = requirements.flatMap(({ state, text, fix }) => [
    `  ${state.padEnd(7)} ${text}`,
    ...(fix === undefined ? [] : [`          ${fix}`]),
  ])
  const count = requirements.filter(({ state }) => state === 'missing').length
  const end =
    count === 0
      ? 'Nothing is missing: push the tag, and approve the release.'
      : `${count === 1 ? 'One thing is' : `${count} things are`} missing.`
  return [...lines, '', end, ''].join('\n')
}
