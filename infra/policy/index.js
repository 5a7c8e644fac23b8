// The launcher of policy packs compiles TypeScript in a way that rejects this repository's imports. From here on, Node
// runs the sources unchanged.
import './pack.ts'
