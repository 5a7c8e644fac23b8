// The launcher of policy packs compiles TypeScript in a way that rejects this repository's imports. From here on, Node
// runs the sources unchanged. The import of the pack is dynamic, so that the version is checked first: an older Node fails
// on a static one before it runs anything. It is not awaited, because the launcher refuses top-level await.
import '../../tools/node-version.cjs'

void import('./pack.ts')
