import { testNameRanking } from "./testing/name-ranking-properties.ts";

testNameRanking(10);
