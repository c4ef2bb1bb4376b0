/** A workflow's name and its folder: where the line ends, the folder is cut off and not the name. */

/** The folder of a workflow is the part of its name before the last slash; one in markup or an address is none. */
const FOLDER = /^([^<>:]*[\p{L}\p{N}\s])\/([\p{L}\p{N}\s][^/<>:]*)$/u;

export function folderOf(name: string): string {
  return FOLDER.exec(name)?.[1]?.trim() ?? "";
}

export function nameIn(name: string): string {
  return FOLDER.exec(name)?.[2]?.trim() ?? name;
}

export function WorkflowName({ name, href }: { name: string; href?: string }) {
  const folder = folderOf(name);
  return (
    <span title={name}>
      {href ? <a href={href}>{nameIn(name)}</a> : nameIn(name)}
      {folder && <span class="small muted">{` ${folder}`}</span>}
    </span>
  );
}
