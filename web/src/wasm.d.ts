declare module "virtual:wasm" {
  /** Compiles the WebAssembly module while it is fetched or unpacked. */
  export default function compile(): Promise<WebAssembly.Module>;
}
