#include "tests/test.h"

#include "character/tissue.h"

#include <stdio.h>

// Names from real files, and words that only contain others.
static void namesTellTissues(void)
{
    static const struct {
        const char *name;
        snTissueKind kind;
    } cases[] = {
        {"ear_L_1", SN_TISSUE_EAR},
        {"LeftEar", SN_TISSUE_EAR},
        {"leftear", SN_TISSUE_EAR},
        {"earRight", SN_TISSUE_EAR},
        {"EARS", SN_TISSUE_EAR},
        {"b_Tail01_012", SN_TISSUE_TAIL},
        {"Tail7_end", SN_TISSUE_TAIL},
        {"hair.001", SN_TISSUE_TAIL},
        {"horn_R", SN_TISSUE_HARD},
        {"hoof_FL", SN_TISSUE_HARD},
        {"Mage_Head", SN_TISSUE_BONY},
        {"b_LeftFoot01_017", SN_TISSUE_BONY},
        {"mixamorig:LeftHandIndex1", SN_TISSUE_BONY},
        {"belly", SN_TISSUE_SOFT},
        {"forearm", SN_TISSUE_FLESH},
        {"rear_leg", SN_TISSUE_FLESH},
        {"beard", SN_TISSUE_FLESH},
        {"gear", SN_TISSUE_FLESH},
        {"shoehorn", SN_TISSUE_FLESH},
        {"spine", SN_TISSUE_FLESH},
        {"", SN_TISSUE_FLESH},
        {"12345", SN_TISSUE_FLESH},
        {"left", SN_TISSUE_FLESH},
        {"_-|", SN_TISSUE_FLESH},
        {"averyveryveryverylongjointnamewithoutanyspacesatall", SN_TISSUE_FLESH},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        snTissueKind kind = snTissueKind_FromName(cases[i].name);
        if (!CHECK(kind == cases[i].kind))
            printf("%s is %s\n", cases[i].name, snTissue_Of(kind)->name);
    }
}

static void namesTellSides(void)
{
    static const char *const sides[][2] = {
        {"b_LeftEar_02", "b_RightEar_05"},
        {"ear.L", "ear.R"},
        {"ear_L_1", "ear_R_1"},
        {"leg_FL_upper", "leg_FR_upper"},
        {"leftear", "rightear"},
        {"EarLeft", "EarRight"},
        {"earleft2", "earright2"},
        {"IKLeg.L", "IKLeg.R"},
        {"l_hand_l", "r_hand_r"},
        {"LEFT", "RIGHT"},
        {"HandleL_3", "HandleR"},
    };
    static const char *const others[][2] = {
        {"ear.L", "ear.L"},
        {"ear", "ear"},
        {"", ""},
        {"12", "13"},
        {"ear.R", "ear.L"},
        {"ear_L", "horn_R"},
        {"ear_L", "ear"},
        {"l_hand_l", "r_hand_l_x"},
        {"tail_1", "tail_2"},
        {"left_r", "right_l"},
        {"leftr", "rightl"},
        {"ball", "barr"},
        {"leg_FL", "leg_HR"},
        {"earleft", "eyeright"},
    };
    for (unsigned i = 0; i < sizeof sides / sizeof *sides; i++) {
        if (!CHECK(snTissue_AreSides(sides[i][0], sides[i][1]))) printf("%s\n", sides[i][0]);
        CHECK(!snTissue_AreSides(sides[i][1], sides[i][0]));
    }
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (!CHECK(!snTissue_AreSides(others[i][0], others[i][1])))
            printf("%s, %s\n", others[i][0], others[i][1]);
}

static void looseTissuesHaveFrequencies(void)
{
    for (int k = SN_TISSUE_FLESH; k <= SN_TISSUE_TAIL; k++) {
        const snTissue *tissue = snTissue_Of((snTissueKind)k);
        CHECK(tissue->loose ? tissue->wobble > 0 : tissue->stiffness > 0);
    }
}

int main(void)
{
    RUN(namesTellTissues);
    RUN(namesTellSides);
    RUN(looseTissuesHaveFrequencies);
    return snTest_Finish();
}
