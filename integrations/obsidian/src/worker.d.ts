/** The text of the recogniser's worker; the build puts it in. */
declare module "inktex/worker" {
  const source: string;
  export default source;
}
