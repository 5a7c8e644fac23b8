/** Returns a version's section of CHANGELOG.md without its heading, or null if there is none or it is empty. */
export function changelogSection(changelog: string, version: string): string | null {
  const lines = changelog.split('\n')
  const start = lines.findIndex(line => line === `## ${version}` || line.startsWith(`## ${version} `))
  if (start < 0) return null
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '))
  const section = lines.slice(start + 1, end < 0 ? undefined : end).join('\n')
  return section.trim() || null
}

/** Returns what keeps a tag from being released at a version of package.json, or null. */
export function tagProblem(tag: string, version: string): string | null {
  if (!/^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(tag)) {
    return `The tag is ${JSON.stringify(tag)}. Use the form v1.2.3.`
  }
  if (tag !== `v${version}`) {
    return `The tag is ${tag}, but package.json says ${version}. Set the version, commit, and tag that commit.`
  }
  return null
}
