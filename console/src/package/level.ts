import { createContext, use } from 'react';

/** The level of the digest's own heading in the page around it. */
export const LevelContext = createContext<1 | 2>(1);

/** The tag of a heading so many levels below the digest's own. */
export function useHeading(below: 0 | 1 | 2): 'h1' | 'h2' | 'h3' | 'h4' {
  return `h${(use(LevelContext) + below) as 1 | 2 | 3 | 4}`;
}
