import { createHash } from 'node:crypto'

/** What an image contains, by package URL, such as `pkg:npm/pg@8.23.1`. */
export interface Component {
  readonly name: string
  readonly version: string
  readonly purl: string
}

/**
 * Returns the software bill of materials of an image (SPDX 2.3). The same parts give the same text.
 * @param created ISO 8601, in UTC
 */
export function sbomOf(
  image: { readonly name: string; readonly version: string },
  components: readonly Component[],
  created: string,
): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([image, components]))
    .digest('hex')
  const packages = [
    { SPDXID: 'SPDXRef-image', name: image.name, versionInfo: image.version, ...unknown },
    ...components.map(({ name, version, purl }, index) => ({
      SPDXID: `SPDXRef-${index + 1}`,
      name,
      versionInfo: version,
      ...unknown,
      externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
    })),
  ]
  const contains = packages.slice(1).map(({ SPDXID }) => ({
    spdxElementId: 'SPDXRef-image',
    relationshipType: 'CONTAINS',
    relatedSpdxElement: SPDXID,
  }))
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${image.name}-${image.version}`,
    documentNamespace: `https://spdx.org/spdxdocs/${image.name}-${image.version}-${digest}`,
    creationInfo: { created, creators: [`Tool: homeport-${image.version}`] },
    packages,
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: 'SPDXRef-image',
      },
      ...contains,
    ],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** The licences are in the image, as texts. */
const unknown = { downloadLocation: 'NOASSERTION', filesAnalyzed: false } as const
