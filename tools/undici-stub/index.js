// Stands in for undici in the action's bundle. @actions/http-client needs undici for one method only,
// getAgentDispatcher(), which serves Octokit and which Homeport never calls. The real package would be
// nine tenths of the bundle that users are asked to trust.
export class ProxyAgent {
  constructor() {
    throw new Error('undici is not part of this bundle: getAgentDispatcher() cannot be used here')
  }
}
