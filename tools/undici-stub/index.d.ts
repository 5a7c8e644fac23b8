export declare class ProxyAgent {
  constructor(...options: unknown[])
}
