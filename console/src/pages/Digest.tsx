import type { MouseEvent } from 'react';
import { useLocation } from 'wouter';
import { KnowledgeDigest } from '../package/KnowledgeDigest';
import { useMay } from '../session';

const linkTo = (kind: 'entry' | 'memory', id: string) =>
  `/${kind === 'entry' ? 'quarantine' : 'longterm'}/${encodeURIComponent(id)}`;

export default function Digest() {
  const mayDecide = useMay('review');
  const [, go] = useLocation();
  /** The panel knows of no router: its plain links are followed without loading the page anew. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="/"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(link.pathname);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a link that is entered by keyboard is clicked, too.
    // biome-ignore lint/a11y/noStaticElementInteractions: the links in it are what is clicked.
    <div className="mx-auto max-w-3xl" onClick={follow}>
      <KnowledgeDigest readOnly={!mayDecide} linkTo={linkTo} askAt="/ask" />
    </div>
  );
}
