import { SMALL_CASES } from "./scenarios.ts";
import { testEveryOrder } from "./test-every-order.ts";

testEveryOrder(SMALL_CASES.filter(({ scenario }) => scenario.contended));
