// Replaces undici in the action's bundle. @actions/http-client needs it only for getAgentDispatcher(), which serves
// Octokit and which Homeport never calls. The real package would be nine tenths of the code that users must trust.
export class ProxyAgent {
  constructor() {
    throw new Error('undici is not part of this bundle, so getAgentDispatcher() does not work')
  }
}
