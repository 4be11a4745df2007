declare module "virtual:wasm" {
  /** The bytes of the WebAssembly module, fetched or unpacked. */
  export default function wasm(): Promise<ArrayBuffer>;
}
