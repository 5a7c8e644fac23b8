// The launcher of policy packs compiles TypeScript in a way that refuses this repository's imports. From here on Node
// runs the sources as they are.
import './pack.ts'
